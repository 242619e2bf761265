"""A SLURM cluster of this one machine, on loopback and without systemd, for the time of a test."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

SYSTEM_CONF = Path("/etc/slurm/slurm.conf")
ACCOUNT = "minority_study"

SLURM_CONF = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
# No cgroups: they need a machine to oneself.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=5,batch_sched_delay=1
KillWait=5
# Long enough for the tests to ask about finished jobs.
MinJobAge=3600
ReturnToService=2
MpiDefault=none
MailProg=/bin/true
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory}
PartitionName=other Nodes={host} State=UP
PartitionName=main Nodes={host} Default=YES State=UP
{accounting}
"""

ACCOUNTING = """
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={port}
AccountingStoragePass={folder}/munge/socket
AccountingStorageEnforce=associations
"""

SLURMDBD_CONF = """
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
PidFile={folder}/slurmdbd.pid
CommunicationParameters=NoInAddrAny
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm
"""


def require(programs, packages):
    """Skip the test where SLURM cannot run; fail it where it must."""
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        reason = f"no {', '.join(missing)}: apt-get install {packages}"
    elif os.geteuid() != 0:
        reason = "SLURM's servers, and a link at /etc/slurm/slurm.conf, need root"
    else:
        return
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@contextlib.contextmanager
def cluster(folder, database=False):
    """Start the servers with all their files in `folder`, and stop them in the end.

    Yields the environment variables that SLURM's commands need.
    """
    with contextlib.ExitStack() as stack:
        munge = folder / "munge"
        munge.mkdir(mode=0o711)
        (munge / "key").write_bytes(os.urandom(1024))
        (munge / "key").chmod(0o400)
        stack.enter_context(
            server(
                "munged", "--foreground", "--force", f"--key-file={munge / 'key'}",
                f"--socket={munge / 'socket'}", f"--pid-file={munge / 'pid'}",
                f"--log-file={munge / 'log'}", f"--seed-file={munge / 'seed'}", folder=folder,
            )
        )  # fmt: skip
        wait_for((munge / "socket").exists, "munged")

        names = {"folder": folder, "host": socket.gethostname().split(".")[0]}
        accounting = ""
        if database:
            port = free_port()
            accounting = ACCOUNTING.format(**names, port=port)
            stack.enter_context(mariadb(folder / "mariadb"))
            (folder / "slurmdbd.conf").touch(mode=0o600)
            (folder / "slurmdbd.conf").write_text(SLURMDBD_CONF.format(**names, port=port))

        conf = folder / "slurm.conf"
        conf.write_text(
            SLURM_CONF.format(
                **names,
                controller_port=free_port(),
                node_port=free_port(),
                cpus=len(os.sched_getaffinity(0)),
                memory=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20,
                accounting=accounting,
            )
        )
        stack.enter_context(linked(conf))
        environ = {**os.environ, "SLURM_CONF": str(conf)}
        if database:
            environ["MYSQL_UNIX_PORT"] = str(folder / "mariadb" / "socket")
            stack.enter_context(server("slurmdbd", "-D", folder=folder, environ=environ))
            wait_for(lambda: add("cluster", "test", environ=environ), "slurmdbd")
            assert add("account", ACCOUNT, environ=environ)
            assert add("user", "root", f"account={ACCOUNT}", environ=environ)
        stack.enter_context(server("slurmctld", "-D", folder=folder, environ=environ))
        stack.enter_context(server("slurmd", "-D", folder=folder, environ=environ))
        wait_for(lambda: "idle" in output("sinfo", "--format=%t", environ=environ), "slurmd")
        # Jobs outlive the servers: cancel them first.
        stack.callback(cancel_all, environ)
        yield environ


@contextlib.contextmanager
def mariadb(folder):
    """A database server that only this folder's socket leads to."""
    folder.mkdir(mode=0o700)
    data = folder / "data"
    subprocess.run(
        ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--user=root"],
        check=True, capture_output=True,
    )  # fmt: skip
    with server(
        "mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={folder / 'socket'}",
        f"--pid-file={folder / 'pid'}", "--user=root", "--skip-networking", "--skip-grant-tables",
        "--innodb-buffer-pool-size=32M", folder=folder,
    ):  # fmt: skip
        wait_for((folder / "socket").exists, "mariadbd")
        yield


def add(*entity, environ):
    """Tell slurmdbd about a cluster, an account or a user; False while it does not listen yet."""
    command = ["sacctmgr", "--immediate", "add", *entity]
    return subprocess.run(command, env=environ, check=False, capture_output=True).returncode == 0


@contextlib.contextmanager
def server(*command, folder, environ=None):
    """Run a server in the foreground, its output in a file of `folder`."""
    # A killed test cannot stop its servers: have them end with it.
    command = ["setpriv", "--pdeathsig=TERM", *command]
    with open(folder / f"{command[2]}.output", "w") as file:
        process = subprocess.Popen(
            command, env=environ, stdin=subprocess.DEVNULL, stdout=file, stderr=file
        )
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()


@contextlib.contextmanager
def linked(conf):
    """The executor plugin takes SLURM_CONF from a job's srun, which then looks here only."""
    kept = SYSTEM_CONF.with_name("slurm.conf.kept_by_tests")
    SYSTEM_CONF.parent.mkdir(parents=True, exist_ok=True)
    if SYSTEM_CONF.exists():
        SYSTEM_CONF.rename(kept)
    SYSTEM_CONF.unlink(missing_ok=True)  # a killed test leaves a link to nothing
    SYSTEM_CONF.symlink_to(conf)
    try:
        yield
    finally:
        SYSTEM_CONF.unlink()
        if kept.exists():
            kept.rename(SYSTEM_CONF)


def cancel_all(environ):
    subprocess.run(["scancel", "--user=root"], env=environ, check=False)
    wait_for(lambda: not output("squeue", "--noheader", environ=environ), "the end of all jobs")


def output(*command, environ):
    ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    return ran.stdout


def wait_for(ready, what, seconds=60):
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(0.2)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
