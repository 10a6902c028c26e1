# Attempts to get out, in Python. Prints "NAME 1" for each that succeeded and "NAME 0" for each that did not.
# Aims only at what the test itself made; where that is comes in variables that begin with A_.
import ctypes, mmap, os, shutil, socket, struct, sys

env = os.environ
OUT, ROOT = env["A_OUT"], env["A_ROOT"]
VICTIM = int(env["A_VICTIM"])
X64 = os.uname().machine == "x86_64"
libc = ctypes.CDLL(None, use_errno=True)
ATTEMPTS = {}


def attempt(function):
    ATTEMPTS["py-" + function.__name__.replace("_", "-")] = function
    return function


def call(x64, arm64, *args):
    longs = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    result = libc.syscall(ctypes.c_long(x64 if X64 else arm64), *longs)
    if result < 0:
        raise OSError(ctypes.get_errno(), "system call")
    return result


def text(path):
    with open(path) as file:
        return "secret" in file.read()


@attempt
def read(f, d): return text(f)
@attempt
def read_bytes(f, d): return b"secret" in os.read(os.open(f, os.O_RDONLY), 100)
@attempt
def read_at(f, d): return b"secret" in os.read(os.open(f[1:], os.O_RDONLY, dir_fd=os.open("/", os.O_PATH)), 100)
@attempt
def read_by_reopening(f, d): return text("/proc/self/fd/%d" % os.open(f, os.O_PATH))
@attempt
def read_mapped(f, d):
    fd = os.open(f, os.O_RDONLY)
    return b"secret" in mmap.mmap(fd, 0, prot=mmap.PROT_READ)[:]
@attempt
def copy_file(f, d): return text(shutil.copy(f, ROOT + "/py-copied"))
@attempt
def send_file(f, d):
    to = os.open(ROOT + "/py-sent", os.O_RDWR | os.O_CREAT)
    return os.sendfile(to, os.open(f, os.O_RDONLY), 0, 100) > 0
@attempt
def list_folder(f, d): return "inner.txt" in os.listdir(d)
@attempt
def scan(f, d): return any(entry.name == "inner.txt" for entry in os.scandir(d))
@attempt
def change_folder(f, d):
    os.chdir(d)
    os.chdir(ROOT)
    return True
@attempt
def stat(f, d): return os.stat(f).st_size > 0
@attempt
def access(f, d): return os.access(f, os.F_OK)
@attempt
def read_link(f, d): return os.readlink(OUT + "/link") == "target-secret"
@attempt
def stat_disk(f, d): return os.statvfs(d).f_blocks > 0
@attempt
def get_attribute(f, d): return os.getxattr(f, "user.test") == b"secret"
@attempt
def set_attribute(f, d): return os.setxattr(f, "user.new", b"x") is None
@attempt
def remove_attribute(f, d): return os.removexattr(f, "user.test") is None
@attempt
def write(f, d): return open(f, "w").write("x") > 0
@attempt
def create(f, d): return os.open(f + ".new", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600) >= 0
@attempt
def create_unnamed(f, d): return os.open(d, os.O_TMPFILE | os.O_RDWR, 0o600) >= 0
@attempt
def empty_by_opening(f, d): return os.open(f, os.O_RDONLY | os.O_TRUNC) >= 0
@attempt
def truncate(f, d): return os.truncate(f, 0) is None
@attempt
def unlink(f, d): return os.unlink(f) is None
@attempt
def make_folder(f, d): return os.mkdir(d + "/new") is None
@attempt
def remove_folder(f, d): return shutil.rmtree(d) is None
@attempt
def rename(f, d): return os.rename(f, f + ".new") is None
@attempt
def exchange(f, d):
    here = ROOT + "/py-exchange"
    open(here, "w").close()
    libc.renameat2(-100, here.encode(), -100, f.encode(), 2) == 0 or os.stat("/nowhere")
    return text(here)
@attempt
def hard_link(f, d): return os.link(f, ROOT + "/py-hard-link") is None and text(ROOT + "/py-hard-link")
@attempt
def link(f, d): return os.symlink("/nowhere", f + ".new") is None
@attempt
def chmod(f, d): return os.chmod(f, 0o644) is None
@attempt
def times(f, d): return os.utime(f, (1, 1)) is None
@attempt
def execute(f, d): return os.spawnv(os.P_WAIT, f + ".run", ["run"]) == 0
@attempt
def execute_descriptor(f, d):
    fd = os.open(f + ".run", os.O_PATH)
    return in_child(lambda: os.execve("/proc/self/fd/%d" % fd, ["run"], {}))
@attempt
def ssh_key(f, d): return text(env["A_HOME"] + "/.ssh/id_test")
@attempt
def ssh_key_listed(f, d): return "id_test" in os.listdir(env["A_HOME"] + "/.ssh")
@attempt
def socket_path(f, d): return connected(socket.AF_UNIX, socket.SOCK_STREAM, env["A_SOCKET"])
@attempt
def socket_through_link(f, d):
    os.symlink(env["A_SOCKET"], ROOT + "/py-socket")
    return connected(socket.AF_UNIX, socket.SOCK_STREAM, ROOT + "/py-socket")
@attempt
def socket_abstract(f, d): return connected(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + env["A_ABSTRACT_PYTHON"])
@attempt
def socket_datagram(f, d):
    return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", env["A_DATAGRAM"]) == 1
@attempt
def socket_pair_datagram(f, d):
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", env["A_DATAGRAM"]) == 1
@attempt
def tcp(f, d): return connected(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", int(env["A_TCP"])))
@attempt
def tcp_six(f, d): return connected(socket.AF_INET6, socket.SOCK_STREAM, ("::1", int(env["A_TCP6"])))
@attempt
def tcp_fast_open(f, d):
    s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    return s.sendto(b"py-tcp-fast-open\n", 0x20000000, ("127.0.0.1", int(env["A_TCP"]))) > 0
@attempt
def udp(f, d):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    return s.sendto(b"py-udp", ("127.0.0.1", int(env["A_UDP"]))) > 0
@attempt
def udp_connected(f, d):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(("127.0.0.1", int(env["A_UDP"])))
    return s.send(b"py-udp-connected") > 0
@attempt
def shared_memory(f, d):
    identifier = call(29, 194, int(env["A_KEY"]), 64, 0)
    libc.shmat.restype = ctypes.c_void_p
    address = libc.shmat(identifier, None, 0o10000)
    return address not in (None, ctypes.c_void_p(-1).value) and b"secret" in ctypes.string_at(address, 16)
@attempt
def message_queue(f, d): return call(68, 186, int(env["A_KEY"]), 0) >= 0
@attempt
def semaphore(f, d): return call(64, 190, int(env["A_KEY"]), 1, 0) >= 0
@attempt
def named_memory(f, d): return text(env["A_SHM"])
@attempt
def environ(f, d): return text("/proc/%d/environ" % VICTIM)
@attempt
def descriptor(f, d): return text("/proc/%d/fd/%s" % (VICTIM, env["A_VICTIM_FD"]))
@attempt
def memory_file(f, d): return os.open("/proc/%d/mem" % VICTIM, os.O_RDONLY) >= 0
@attempt
def process_status(f, d): return "python" in open("/proc/%d/status" % VICTIM).read()
@attempt
def signal(f, d): return os.kill(VICTIM, 10) is None
@attempt
def signal_by_descriptor(f, d):
    return call(424, 424, call(434, 434, VICTIM, 0), 10, None, 0) == 0
@attempt
def descriptor_taken(f, d):
    return call(438, 438, call(434, 434, VICTIM, 0), int(env["A_VICTIM_FD"]), 0) >= 0
@attempt
def trace(f, d):
    call(101, 117, 16, VICTIM, None, None)
    os.waitpid(VICTIM, 0x40000000)
    return call(101, 117, 17, VICTIM, None, None) == 0
@attempt
def memory_read(f, d):
    buffer = ctypes.create_string_buffer(8)
    vector = struct.pack("PN", ctypes.addressof(buffer), 8)
    remote = struct.pack("PN", int(env["A_ADDRESS"]), 8)
    return call(310, 270, VICTIM, vector, 1, remote, 1, 0) == 8
@attempt
def limits(f, d):
    return call(302, 261, VICTIM, 7, struct.pack("QQ", 512, 1024), None) == 0
@attempt
def user_namespace(f, d): return in_child(lambda: libc.unshare(0x10000000) == 0 and text(f))
@attempt
def enter_namespace(f, d):
    return in_child(lambda: libc.setns(os.open("/proc/%d/ns/net" % VICTIM, os.O_RDONLY), 0) == 0)
@attempt
def mount(f, d):
    os.makedirs(ROOT + "/py-mount")
    return libc.mount(OUT.encode(), (ROOT + "/py-mount").encode(), None, 4096, None) == 0 and text(
        ROOT + "/py-mount/py-mount.txt")
@attempt
def mount_tree(f, d): return call(428, 428, -100, OUT.encode(), 1) >= 0
@attempt
def open_by_handle(f, d):
    handle = ctypes.create_string_buffer(struct.pack("II", 128, 0) + b"\0" * 128)
    number = ctypes.c_int()
    call(303, 264, -100, f.encode(), handle, ctypes.byref(number), 0)
    return call(304, 265, os.open(ROOT, os.O_RDONLY), handle, 0) >= 0
@attempt
def key(f, d): return call(249, 218, b"user", env["A_KEY"].encode(), None, 0) > 0
@attempt
def inherited_descriptor(f, d): return b"secret" in os.pread(50, 100, 0)
@attempt
def inherited_folder(f, d): return b"secret" in os.read(os.open("py-inherited-folder.txt", os.O_RDONLY, dir_fd=52), 100)
@attempt
def outlive(f, d):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for fd in range(3):
                os.close(fd)
            os.execv("/bin/sleep", ["sleep", "30.174"])
        os._exit(0)
    os.close(writer)
    return os.read(reader, 1) == b""  # Both have gone, one into another program.


def connected(family, kind, address):
    s = socket.socket(family, kind)
    s.connect(address)
    s.close()
    return True


def in_child(function):
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if function() else 1)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


for name, function in ATTEMPTS.items():
    try:
        got = bool(function(OUT + "/" + name + ".txt", OUT + "/" + name + ".d"))
    except (OSError, ValueError, AttributeError, shutil.Error) as error:
        got = False
        if os.environ.get("A_WHY"):
            print(name, error, file=sys.stderr)
    print(name, int(got), flush=True)
os._exit(0)
