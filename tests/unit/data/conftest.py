import pytest

from tahr.verifiers.build import VerifierSet, build_verifiers


@pytest.fixture
def verifiers() -> VerifierSet:
    return build_verifiers({})
