"""The words that composed tasks are made of."""

from __future__ import annotations


def _listed(text: str, separator: str | None = None) -> tuple[str, ...]:
    return tuple(" ".join(item.split()) for item in text.split(separator))


TOPICS = _listed(
    """a rainy day|an old bridge|the first snow|a small bakery|the night train|a lost umbrella|a quiet library|the moon|
    a mountain village|a noisy market|a kind neighbour|the harbour|a school garden|an apple tree|a broken clock|a paper
    boat|the desert|a summer camp|a family dinner|a city park|a lighthouse|a long journey|a bicycle trip|a surprise
    party|a music lesson|a football match|the autumn forest|a hidden cave|a friendly robot|an empty theatre|a hot air
    balloon|a museum visit|a new language|a morning run|a chess game|a home office|the weekend|a cooking class|a camping
    trip|a picture book|a stray dog|a sleepy cat|a beehive|a coral reef|a wooden toy|a warm blanket|fresh bread|green
    tea|healthy food|public transport|solar power|recycling at home|saving water|good sleep|learning to swim|growing
    vegetables|reading every day|writing letters|making friends|moving to a new city|a job interview|a small business|a
    birthday cake|a wedding speech|a space station|a time machine|a talking parrot|the history of paper|how bridges are
    built|why the sky is blue|the life of bees|the water cycle|a volcano|an earthquake|the invention of the wheel|a
    famous painter|folk music|board games|street food|winter sports|mobile phones|a train delay|a rude waiter|a broken
    laptop|a school uniform|working from home|a four day week|electric cars|zoo animals|village life|city noise|a good
    teacher|an honest mistake|courage|patience|friendship|a grandmother's garden|an island holiday|a river cruise""",
    "|",
)

REQUESTS = _listed(
    """Write a short story about {topic}.|Write a few sentences about {topic}.|Describe {topic} to a child.|Tell me
    something about {topic}.|Write a short poem about {topic}.|What should I know about {topic}?|Write a letter to a
    friend about {topic}.|Explain in your own words what people think about {topic}.|Give me some advice about
    {topic}.|Write a short blog post about {topic}.|Write a friendly advertisement about {topic}.|I have to give a talk
    about {topic}. What could I say?|Write a diary entry about {topic}.|Make up a small joke or riddle about
    {topic}.|Write a product review that has something to do with {topic}.|Write a short email to my team about
    {topic}.|What are good and bad things about {topic}?|Write a postcard about {topic}.|Summarise what is known about
    {topic}.|Write the opening of a novel about {topic}.|Plan a lesson about {topic}.|Write a toast or a speech about
    {topic}.|How would you start a conversation about {topic}?|Write a short news report about {topic}.""",
    "|",
)

QUESTIONS = _listed(
    """Do most people like to talk about {topic}?|Is it easy to write about {topic}?|Would a child enjoy a story about
    {topic}?|Should schools teach something about {topic}?|Is there much to say about {topic}?|Would you read a whole
    book about {topic}?""",
    "|",
)
"""Requests to which yes, no or maybe is an answer."""

KEYWORDS = _listed(
    """anchor basket breeze bridge bucket butter candle castle cheese circle cloud coffee copper corner cotton crystal
    dance dawn dinner dragon dream eagle echo engine fabric feather field finger flame forest fortune garden giant
    ginger glass guitar hammer harvest honey horizon iron island jacket jewel journey kettle kitchen ladder lantern
    lemon letter marble meadow melody mirror morning mountain needle notebook ocean orange paint parcel pebble pepper
    piano pillow planet pocket potato puzzle rabbit ribbon river rocket saddle sailor shadow silver sister spirit spoon
    station stone storm summer sunset table temple thunder ticket tiger timber tower travel treasure tunnel valley
    velvet village violin voice wagon whisper willow winter wonder yellow"""
)

COMMON = _listed(
    """very good great nice also really many people important because just world life always never thing things best
    beautiful however amazing sometimes maybe simply actually often every"""
)
"""Words that an answer easily uses, to be forbidden."""

BEGINNINGS = _listed("Today Maybe Once Perhaps Here Now Sometimes Yesterday Tomorrow Often")
ENDINGS = _listed("today again here now together always tomorrow outside alone forever")
END_PHRASES = _listed(
    """That is all for now.|Let me know what you think.|Thank you for reading.|I hope this helps you.|Ask me again any
    time.|And that is the whole story.|Have a wonderful day!|What would you add?|The rest is up to you.|See you again
    soon.""",
    "|",
)
SECTION_LABELS = _listed("Section SECTION Part Chapter Step")
PALINDROMES = _listed("noon level civic radar madam kayak")
PHRASES = _listed(
    """the river runs past the mill|we walk home after the rain|a small bird sings at dawn|my friend bakes bread on
    Sunday|the old clock stops every night|they paint the door bright green""",
    "|",
)

ABOUT_TOPIC = _listed(
    """There is a lot to say about {topic}.|Some of us still remember {topic}.|My uncle often talks about {topic}.|A
    child would ask questions about {topic}.|You can learn much from {topic}.|We wrote a song about {topic}.""",
    "|",
)

ABOUT_ANYTHING = _listed(
    """It brings us joy.|We laughed for hours.|Nobody wants to leave.|Time passes so slowly.|Friends make it better.|
    Small steps help most.|Music fills the room.|Everyone feels at home.|Simple plans work well.|Old photos tell more.|
    The air smells fresh and clean.|Our neighbours came by to help.|She smiled and opened the door.|Warm light falls
    on the floor.|His brother knows the way home.|They share bread and hot soup.|Most visitors come back next year.|
    Good stories begin with a question.|Children learn by playing outside.|Nothing beats a slow walk home.|Rain taps
    softly on the old roof.|Two old friends met by the gate.|Each season has its own quiet charm.|People from all over
    town join in.|A warm drink helps on cold days.|Someone left a note on our table.|Bright colours make the place feel
    alive.|We took the long road back home.|After lunch the whole group went for a swim.|Grandfather keeps his tools in
    a wooden box.|Young and old sit side by side in peace.|Between the houses runs a narrow path downhill.|Later that
    night the wind grew calm again.""",
    "|",
)
"""Plain sentences that go with any topic and have no commas."""

WITH_WORD = _listed(
    """It makes me think of {word}.|Here is another {word}.|Nobody forgets the {word}.|You will find {word} there.|Then
    comes the {word}.|Everyone likes {word}.|Look at the {word}.""",
    "|",
)

IN_LANGUAGES = {
    "de": "Das ist eine kleine Geschichte. Wir sprechen gern darüber und lachen viel. Am Ende gehen alle nach Hause.",
    "es": "Esta es una historia pequeña. Nos gusta mucho hablar de ella. Al final todos vuelven a casa contentos.",
    "fr": "Voici une petite histoire. Nous aimons beaucoup en parler ensemble. À la fin tout le monde rentre chez soi.",
    "it": "Questa è una piccola storia. Ci piace molto parlarne insieme. Alla fine tutti tornano a casa contenti.",
    "nl": "Dit is een klein verhaal. Wij praten er graag samen over. Aan het einde gaat iedereen weer naar huis.",
    "pt": "Esta é uma pequena história. Nós gostamos muito de falar sobre ela. No fim todos voltam para casa felizes.",
}
"""A short text in each language that composed tasks ask for."""
