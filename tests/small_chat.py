"""Chat templates and tokenizers of single bytes to render with."""

from __future__ import annotations

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from tahr.core.types import Message, Role

CHATML = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are helpful<|im_end|>\n' }}{% endif %}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
LLAMA3 = (
    "{{ bos_token }}{% for message in messages %}{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' "
    "+ message['content'] | trim + '<|eot_id|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"
)
# As Qwen3's: thinking stays while tools answer, and is dropped from every turn before the last user message.
THINKING = (
    "{% set ns = namespace(last=0) %}{% for message in messages %}{% if message.role == 'user' %}"
    "{% set ns.last = loop.index0 %}{% endif %}{% endfor %}"
    "{% for message in messages %}{% set content = message.content %}"
    "{% if message.role == 'assistant' and loop.index0 < ns.last %}"
    "{% set content = content.split('</think>')[-1].lstrip('\n') %}{% endif %}"
    "{{ '<|im_start|>' + message.role + '\n' + content + '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
SPECIAL = ["<s>", "</s>", "<|im_start|>", "<|im_end|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
BOS, EOS, IM_END, EOT = 0, 1, 3, 6


def make(template: str | None, *, bos: str | None = None, eos: str = "<|im_end|>", adds_bos: bool = False, merges=()):
    """A tokenizer of single bytes, and of what `merges`, pairs of tokens, put together."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = [*SPECIAL, *alphabet, *(left + right for left, right in merges)]
    backend = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(vocabulary)}, merges=list(merges)))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens(SPECIAL)
    if adds_bos:
        backend.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token=bos, eos_token=eos, chat_template=template, extra_special_tokens=SPECIAL
    )


def chat(*messages: tuple[Role, str]) -> list[Message]:
    return [Message(role=role, content=content) for role, content in messages]


TOKENIZERS = {
    "chatml": make(CHATML, bos="<|im_start|>"),
    "llama3": make(LLAMA3, bos="<s>", eos="</s>", adds_bos=True),
    "thinking": make(THINKING),
    "plain": make(None, bos="<s>", eos="</s>", adds_bos=True),
}
QUESTION = chat(("user", "What is 2 + 3?"))
