# A process of the test that others attack: it has a secret in its environment, in a descriptor, and in shared memory.
import ctypes, os, signal, socket, sys

out, key = sys.argv[1], int(sys.argv[2])
os.chdir(out + "/victim.d")
signal.signal(signal.SIGUSR1, lambda *_: None)
# Without it, systems with a strict setting let nobody trace a process but its parent.
ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1), 0, 0, 0)
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
segment = libc.shmget(key, 64, 0o1600)
queue = libc.msgget(key, 0o1600)
semaphore = libc.semget(key, 1, 0o1600)
ctypes.memmove(libc.shmat(segment, None, 0), b"secret", 6)
x64 = os.uname().machine == "x86_64"
libc.syscall(248 if x64 else 217, b"user", str(key).encode(), b"secret", 6, -4)
descriptor = os.open(out + "/victim.txt", os.O_RDONLY)
datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
datagrams.bind(out + "/datagram.sock")
abstract = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
abstract.bind("\0" + out)
abstract.listen()
for name in os.listdir(out):
    if "attribute" in name and name.endswith(".txt"):
        os.setxattr(out + "/" + name, "user.test", b"secret")
memory = ctypes.create_string_buffer(b"secret!!")
print(os.getpid(), descriptor, ctypes.addressof(memory), flush=True)
sys.stdin.read()
libc.shmctl(segment, 0, None)
libc.msgctl(queue, 0, None)
libc.semctl(semaphore, 0, 0)
