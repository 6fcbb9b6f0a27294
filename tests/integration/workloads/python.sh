#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# A virtual environment, pytest in it, processes and semaphores.
. "$(dirname "$0")/common.sh"
/usr/bin/python3 -m venv --system-site-packages environment
. environment/bin/activate
python -c 'import sys; print(sys.prefix != sys.base_prefix)'
python -m pip --version | cut -d' ' -f1
export PYTHONDONTWRITEBYTECODE=1 # compiled code holds paths and times
mkdir tests
cat > tests/test_sum.py <<'PY'
import multiprocessing, os, tempfile
def square(n): return n * n
def test_pool():
    with multiprocessing.Pool(2) as pool:
        assert pool.map(square, range(10)) == [n * n for n in range(10)]
def test_semaphore():
    semaphore = multiprocessing.BoundedSemaphore(2)
    assert semaphore.acquire(timeout=1) and semaphore.acquire(timeout=1)
    assert not semaphore.acquire(timeout=0.05)
def test_shared_memory():
    from multiprocessing import shared_memory
    memory = shared_memory.SharedMemory(create=True, size=64)
    memory.buf[:5] = b'hello'
    again = shared_memory.SharedMemory(name=memory.name)
    assert bytes(again.buf[:5]) == b'hello'
    again.close(); memory.close(); memory.unlink()
def test_temporary():
    with tempfile.TemporaryDirectory() as directory, open(os.path.join(directory, 'f'), 'w') as file:
        file.write('x')
def test_queue():
    queue = multiprocessing.Queue(); process = multiprocessing.Process(target=queue.put, args=('sent',))
    process.start(); assert queue.get(timeout=10) == 'sent'; process.join()
PY
python -m pytest -q -p no:cacheprovider tests | sed 's/ in .*//'
digest tests
