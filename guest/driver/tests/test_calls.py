"""tools.<name>(...): calls of the host's functions out of a running program (M50)."""

import os
import signal
import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent)]

TOOLS = [
    {
        "name": "add",
        "description": "Adds.",
        "parameters": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a"]},
    },
    {"name": "rows", "description": "", "parameters": {"type": "object", "properties": {}}},
]


def host(live, reply=None, tools=TOOLS):
    """Answers the calls of the cell that was sent, by reply(call); returns calls and outcome."""
    import sessions

    from harness import Outcome

    calls, out = [], Outcome()
    while out.ok is None:
        kind, payload = sessions.frame(live.channel)
        if kind == "C":
            calls.append(payload)
            for said in (reply or added)(payload, calls):
                live.channel.send("A", said)
        elif kind == "Z":
            out.ok = payload["ok"]
        else:
            assert kind, "the channel ended"
            out.frames.append((kind, payload))
    out.stdout, out.stderr = (live._drain(read) for read, _ in live._pipes)
    return calls, out


def added(call, _):
    numbers = call["arguments"]
    yield answer(call, numbers.get("a", 0) + numbers.get("b", 0))


def answer(call, result, kind="json"):
    return {"id": call["id"], "kind": kind, "failure": "", "message": "", "result": result}


def failed(call, why, message):
    return {"id": call["id"], "kind": "error", "failure": why, "message": message, "result": None}


def ask(live, source, reply=None, tools=TOOLS):
    live.send(source, tools=tools)
    return host(live, reply)


def test_M50_a_call_carries_its_arguments_and_brings_its_answer(live):
    calls, out = ask(live, "print(tools.add(1, b=2), tools.add(a=40))")
    assert out.stdout == "3 40\n", out.error
    assert calls == [
        {"id": 1, "name": "add", "arguments": {"a": 1, "b": 2}},
        {"id": 2, "name": "add", "arguments": {"a": 40}},
    ]


def test_M50_a_table_arrives_as_a_frame_with_its_types(live):
    columns = [
        {"name": "n", "dtype": "int64", "values": [1, 2]},
        {"name": "m", "dtype": "int64", "values": [1, None]},
        {"name": "f", "dtype": "float64", "values": [1.5, None]},
        {"name": "t", "dtype": "str", "values": ["a", None]},
        {"name": "at", "dtype": "datetime64[us]", "values": ["2024-01-02T03:04:05", None]},
        {"name": "there", "dtype": "datetime64[us, Asia/Shanghai]", "values": ["2024-01-02T03:04:05+08:00", None]},
        {"name": "n", "dtype": "bool", "values": [True, False]},
        {"name": "any", "dtype": "strange", "values": [1, "x"]},
    ]
    source = "t = tools.rows()\nprint(list(t.columns), [str(d) for d in t.dtypes], len(t), t.isna().sum().sum(), t.there.iloc[0])"
    _, out = ask(live, source, lambda call, _: [answer(call, {"columns": columns}, "table")])
    assert out.stdout == (
        "['n', 'm', 'f', 't', 'at', 'there', 'n', 'any'] ['int64', 'Int64', 'float64', 'str', 'datetime64[us]', "
        "'datetime64[us, Asia/Shanghai]', 'bool', 'object'] 2 5 2024-01-02 03:04:05+08:00\n"
    ), (out.stdout, out.frames)
    _, out = ask(live, "tools.rows()", lambda call, _: [answer(call, {"columns": [{"name": "a"}]}, "table")])
    assert out.error["type"] == "ToolError" and "no table" in out.error["message"]
    _, out = ask(live, "print(len(tools.rows().columns))", lambda call, _: [answer(call, {"columns": []}, "table")])
    assert out.stdout == "0\n"


@pytest.mark.parametrize(
    ("why", "kind", "base"),
    [
        ("unknown", "ToolUnknown", "AttributeError"),
        ("arguments", "ToolArguments", "TypeError"),
        ("refused", "ToolRefused", "RuntimeError"),
        ("busy", "ToolBusy", "tools.ToolError"),
        ("timeout", "ToolTimeout", "TimeoutError"),
        ("failed", "ToolFailed", "tools.ToolError"),
        ("ended", "ToolEnded", "tools.ToolError"),
        ("what comes one day", "ToolFailed", "tools.ToolError"),
    ],
)
def test_M50_what_comes_to_nothing_is_an_exception_with_words(live, why, kind, base):
    source = f"try:\n    tools.add(1)\nexcept {base} as e:\n    print(type(e).__name__, e, e.tool, isinstance(e, tools.ToolError))"
    _, out = ask(live, source, lambda call, _: [failed(call, why, "because")])
    assert out.stdout == f"{kind} because add True\n", out.frames


def test_M50_after_a_bound_no_call_is_sent(live):
    source = "for _ in range(3):\n    try:\n        tools.add(1)\n    except tools.ToolError as e:\n        print(e)"
    calls, out = ask(live, source, lambda call, _: [failed(call, "refused", "100 calls were made")])
    assert len(calls) == 1 and out.stdout == "100 calls were made\n" * 3


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ("{'x': [1, 2.5, None, True, 'é']}", {"x": [1, 2.5, None, True, "é"]}),
        ("np.int64(7)", 7),
        ("np.float32(0.5)", 0.5),
        ("(1, {2})", [1, [2]]),
        ("pd.Timestamp('2024-01-02')", "2024-01-02T00:00:00"),
        ("[pd.NaT, pd.NA]", [None, None]),
        ("pd.DataFrame({'k': [1, 2], 'v': [0.5, float('nan')]})", [{"k": 1, "v": 0.5}, {"k": 2, "v": None}]),
        ("pd.Series([1, 2])", [1, 2]),
        ("__import__('decimal').Decimal('1.10')", "1.10"),
        ("'\\ud800'", "\\ud800"),
    ],
)
def test_M50_arguments_are_plain_json(live, given, want):
    calls, out = ask(live, f"tools.add(a={given})", lambda call, _: [answer(call, None)])
    assert out.ok, out.error
    assert calls[0]["arguments"] == {"a": want}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("tools.add(1, 2, 3)", "takes 2 arguments, not 3"),
        ("tools.add(1, a=2)", "given 'a' twice"),
        ("tools.add(a=object())", "a is of type object, which cannot be passed"),
        ("tools.add(a=float('inf'))", "a is inf, which JSON has no number for"),
        ("tools.add(a={(1, 2): 3})", "a has a key of type tuple"),
        ("x = []\nx.append(x)\ntools.add(a=x)", "nested deeper"),
        ("tools.add(a='x' * 300_000)", "at most 262,144 fit"),
        ("tools.add(a=10 ** 10_000)", "cannot be written as JSON"),
        ("tools.sub(1)", "there is no tool 'sub' (there are: add, rows)"),
        ("tools.ad(1)", "did you mean 'add'?"),
    ],
)
def test_M50_what_cannot_be_passed_is_said_and_not_sent(live, call, says):
    calls, out = ask(live, call)
    assert not calls and out.error["type"] in ("ToolArguments", "ToolUnknown") and says in out.error["message"], out.error
    assert "_cellwall" not in out.error["traceback"]


def test_M50_threads_call_at_once_and_each_gets_its_own_answer(live):
    source = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(30) as pool:\n"
        "    print(list(pool.map(lambda n: tools.add(n, 1), range(200))) == list(range(1, 201)))"
    )
    waiting = []

    def backwards(call, calls):  # answers come in another order than calls, eight at once at most
        waiting.append(call)
        assert len(waiting) <= 8
        if len(waiting) == 8 or len(calls) > 192:
            for one in reversed(waiting):
                yield from added(one, calls)
            waiting.clear()

    calls, out = ask(live, source, backwards)
    assert out.stdout == "True\n" and len(calls) == 200 and [c["id"] for c in calls] == list(range(1, 201))


def test_M50_a_child_of_the_program_cannot_call(live):
    source = (
        "import os\npid = os.fork()\nif pid == 0:\n    try:\n        tools.add(1)\n    except tools.ToolError as e:\n"
        "        print(e, flush=True)\n    os._exit(0)\nos.waitpid(pid, 0)\nprint(tools.add(1))"
    )
    calls, out = ask(live, source)
    assert len(calls) == 1 and out.stdout == "only the process that was given the program can call tools, not its children\n1\n"


def test_M50_tools_are_there_only_while_they_are_given(live):
    assert live.cell("tools").error["type"] == "NameError"
    _, out = ask(live, "kept = tools\nadd = tools.add\nprint(tools, tools.add, tools.add.__doc__)")
    assert out.stdout == "<tools: add, rows> <tool add(a, b)> Adds.\n\na (number)\nb (number, may be left out)\n"
    assert live.cell("tools").error["type"] == "NameError"
    for late in ("kept.add(1)", "add(1)"):
        assert live.cell(late).error["type"] in ("ToolUnknown", "ToolEnded")
    assert live.ask("variables")["variables"][-1]["name"] == "add"
    calls, out = ask(live, "print(add(2), kept.add(3))")
    assert out.stdout == "2\n3\n".replace("\n3", " 3") and [call["id"] for call in calls] == [1, 2]


def test_M50_a_name_of_the_codes_own_is_left_alone(live):
    live.say("tools = ['hammer']")
    _, out = ask(live, "print(tools)")
    assert out.stdout == "['hammer']\n"
    assert live.say("print(tools)") == "['hammer']\n"


def test_M50_a_call_survives_rollback_and_recovery(live):
    ask(live, "x = tools.add(1)\nkept = tools")
    snapshot = live.take()
    live.die()
    live.back(snapshot)
    calls, out = ask(live, "print(x, tools.add(x, 1), kept.add(5))")
    assert out.stdout == "1 2 5\n" and [call["id"] for call in calls] == [1, 2]


def test_M50_an_interrupt_ends_the_wait_and_the_late_answer_is_nobodys(live):
    live.send("tools.add(1)", tools=TOOLS)
    import sessions

    kind, call = sessions.frame(live.channel)
    assert kind == "C"
    os.kill(live.pid, signal.SIGINT)
    out = live.end()
    assert out.error["type"] == "KeyboardInterrupt"
    live.channel.send("A", answer(call, 1))
    _, out = ask(live, "print(tools.add(7))")
    assert out.stdout == "7\n"


def test_M50_a_late_answer_never_answers_another_call(live):
    source = (
        "import signal, time\n"
        "def late(*_): raise TimeoutError('mine')\n"
        "signal.signal(signal.SIGALRM, late)\nsignal.setitimer(signal.ITIMER_REAL, 0.2)\n"
        "try:\n    tools.add(1)\nexcept TimeoutError as e:\n    print(type(e).__name__, e)\nprint(tools.add(2))"
    )

    def slow(call, calls):
        if len(calls) == 2:
            yield answer(calls[0], "the first")
            yield from added(call, calls)

    _, out = ask(live, source, slow)
    assert out.stdout == "TimeoutError mine\n2\n", (out.stdout, out.frames)


def test_M50_a_thread_that_waits_hears_that_its_cell_has_ended(live):
    source = (
        "import threading\nsaid = []\n"
        "def wait():\n    try:\n        tools.add(1)\n    except RuntimeError as e:\n        said.append(str(e))\n"
        "t = threading.Thread(target=wait, daemon=True); t.start()\n"
        "import os, time\nwhile not os.path.exists('came'):\n    time.sleep(0.01)"
    )
    came = live.folder / "output" / "came"
    calls, out = ask(live, source, lambda call, _: came.touch() or [])
    assert out.ok and len(calls) == 1
    live.channel.send("A", answer(calls[0], 1))
    assert live.say("t.join(5); print(said)") == "['the program was over before the tool answered']\n"
    assert live.say("print('on')") == "on\n"


@pytest.mark.parametrize("size", [0, 1, 4, 5, 9, 50])
def test_M50_half_an_answer_at_the_end_of_a_cell_is_read_to_its_end(live, size):
    import json
    import struct

    source = (
        "import threading\nt = threading.Thread(target=lambda: tools.add(1), daemon=True); t.start()\nimport time; time.sleep(0.3)"
    )
    sent = []

    def half(call, _):
        body = json.dumps(answer(call, "x" * 100)).encode()
        sent.append(struct.pack(">IB", len(body), ord("A")) + body)
        live.channel._sock.sendall(sent[0][:size])
        return []

    _, out = ask(live, source, half)
    assert out.ok
    live.channel._sock.sendall(sent[0][size:])
    _, out = ask(live, "print(tools.add(9))")
    assert out.stdout == "9\n"


def test_M50_large_answers_arrive_whole(live):
    _, out = ask(live, "print(len(tools.add(1)))", lambda call, _: [answer(call, "é" * 2_000_000)])
    assert out.stdout == "2000000\n"


def test_M50_tools_go_along_to_another_sandbox(live, tmp_path):
    import sessions

    ask(live, "kept = [tools, tools.add]")
    state, lost = live.export()
    (tmp_path / "other").mkdir()
    other = sessions.Live(tmp_path / "other")
    try:
        assert other.arrive(state).ok
        _, out = ask(other, "print(kept[0] is tools, kept[0].add(2))")
        assert out.stdout == "True 2\n", (lost, out.frames)
        assert other.cell("tools").error["type"] == "NameError"
    finally:
        other.close()


def test_M50_a_single_program_calls_too(tmp_path):
    import socket
    import threading

    import harness
    from _cellwall import shell
    from _cellwall.calls import Desk
    from _cellwall.channel import Channel, Closed

    harness.warm()
    ours, theirs = socket.socketpair()
    lost = shell.execute

    def serve():
        host_end = Channel(ours)
        try:
            while True:
                kind, call, _ = host_end.receive()
                if kind == "C":
                    host_end.send("A", answer(call, call["arguments"]["a"] * 2))
        except Closed:
            return

    thread = threading.Thread(target=serve)

    def with_desk(run, send):
        channel = Channel(theirs)

        def both(kind, payload):
            (channel.send if kind == "C" else send)(kind, payload)

        return lost(run, both, lambda gated: Desk(channel, gated))

    shell.execute = with_desk
    try:
        import os as system

        closerange = system.closerange
        system.closerange = lambda *_: None  # the channel of this test stays open in the child
        try:
            thread.start()
            out = harness.execute("print(tools.add(21))", tmp_path, tools=TOOLS)
        finally:
            system.closerange = closerange
    finally:
        shell.execute = lost
        theirs.close()
        thread.join(10)
    assert out.stdout == "42\n", (out.frames, out.stderr)
    out = harness.execute("tools", tmp_path)
    assert out.error["type"] == "NameError"
