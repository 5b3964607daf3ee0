from pathlib import Path

import pytest

from tahr.core.errors import InputError
from tahr.recipe.machine import disk_free, look, parse_gpu, stated
from tahr.recipe.resources import size_text


def test_this_machine_has_cores_memory_and_a_rate():
    machine = look()
    assert machine.cores >= 1
    assert 0 < machine.memory_free <= machine.memory_total
    assert 1e9 < machine.flops < 1e15


def test_a_listed_gpu_has_the_rates_of_its_data_sheet():
    gpu = parse_gpu("NVIDIA H100 80GB HBM3, 81559, 80994\nNVIDIA A100, 1, 1\n")
    assert gpu is not None
    assert (gpu.name, gpu.flops, gpu.bandwidth) == ("NVIDIA H100 80GB HBM3", 989e12, 3.35e12)
    assert (gpu.memory_total, gpu.memory_free) == (81559 * 2**20, 80994 * 2**20)


def test_L4_and_L40S_are_different_cards():
    first, second = parse_gpu("NVIDIA L4, 23034, 22000"), parse_gpu("NVIDIA L40S, 46068, 45000")
    assert first is not None
    assert second is not None
    assert (first.flops, second.flops) == (121e12, 362e12)


def test_an_unknown_card_gets_a_cautious_rate_and_no_card_gives_none():
    unknown = parse_gpu("NVIDIA Something, 8000, 7000")
    assert unknown is not None
    assert unknown.flops == 50e12
    assert parse_gpu("") is None
    assert parse_gpu("No devices were found") is None


def test_disk_is_asked_where_the_folder_will_be(tmp_path: Path):
    assert disk_free(tmp_path / "not" / "there") > 0


@pytest.mark.parametrize(
    ("size", "text"), [(208_123, "0.208 MB"), (614_400_000, "614 MB"), (21_400_000_000, "21.4 GB")]
)
def test_sizes_that_are_compared_never_both_read_0(size: float, text: str) -> None:
    assert size_text(size) == text


def test_hardware_is_stated_as_a_number_of_gpus_and_their_kind():
    machine = stated("8xH200")
    assert machine.gpu is not None
    assert (machine.gpu.name, machine.gpu.count, machine.gpu.memory_total) == ("H200", 8, 141e9)
    assert stated("H100 PCIe").gpu == stated("1xH100 PCIe").gpu
    assert stated("2xRTX 4090").gpu is not None


@pytest.mark.parametrize(
    ("hardware", "hint"), [("8xH20", "H200"), ("0xH100", "such as 8xH100"), ("manyxH100", "8xH100")]
)
def test_hardware_that_is_not_known_is_answered_with_what_is(hardware: str, hint: str):
    with pytest.raises(InputError, match=hint):
        stated(hardware)
