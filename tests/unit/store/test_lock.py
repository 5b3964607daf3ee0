import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tahr.core.errors import InputError
from tahr.store.lock import Lock, is_locked


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    lock = Lock(tmp_path)
    assert is_locked(tmp_path)
    with pytest.raises(InputError, match=f"process {os.getpid()} holds its lock"):
        Lock(tmp_path)
    lock.release()
    lock.release()
    assert not is_locked(tmp_path)
    Lock(tmp_path).release()


def test_a_folder_without_a_lock_is_not_locked(tmp_path: Path) -> None:
    assert not is_locked(tmp_path)


def test_a_killed_holder_leaves_no_lock(tmp_path: Path) -> None:
    program = "import sys, time; from pathlib import Path; from tahr.store.lock import Lock; "
    program += "lock = Lock(Path(sys.argv[1])); print('held', flush=True); time.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    assert is_locked(tmp_path)
    with pytest.raises(InputError, match=f"process {child.pid} holds"):
        Lock(tmp_path)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    Lock(tmp_path).release()
