"""Steps of an attempt, in Python: see steps.sh."""
import os
import shutil
import socket
import sys


def append(first, second):
    os.makedirs(os.path.dirname(first) or ".", exist_ok=True)
    with open(first, "a") as file:
        file.write(second.encode().decode("unicode_escape"))


def connect(first, _):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(first)


STEPS = {
    "enter": lambda first, _: os.chdir(first),
    "rename": os.rename,
    "copy": lambda first, second: shutil.copytree(first, second, symlinks=True),
    "read": shutil.copyfile,
    "append": append,
    "link": os.link,
    "connect": connect,
}

for line in sys.stdin:
    does, first, second = line.rstrip("\n").split("|")
    try:
        STEPS[does](first, second)
    except OSError:
        pass
