# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""What goes and what stays in a report's answers; the page itself is tested in explorer/e2e/report.e2e.ts."""

import json
import struct
from types import SimpleNamespace

import pytest
from lanewise.trace.redaction import PUBLIC, PUBLIC_KERNEL, Redaction, header_of
from lanewise.trace.report import event_text, key_of, read_frame


def frame(name: str, columns: dict[str, list]) -> bytes:
    """Texts as dictionaries, numbers as f64, lists of ids as lists."""
    buffers, described = b"", []
    for column, values in columns.items():
        at = len(buffers)
        if isinstance(values[0], str):
            words = list(dict.fromkeys(values))
            buffers += struct.pack(f"<{len(values)}I", *map(words.index, values))
            described.append({"name": column, "type": "text", "storage": "dict", "offset": at, "length": len(values), "dictionary": words})
        elif isinstance(values[0], list):
            ends = [sum(map(len, values[: i + 1])) for i in range(len(values))]
            buffers += struct.pack(f"<{len(ends)}I", *ends)
            buffers += b"\0" * (-len(buffers) % 8)
            flat = [value for row in values for value in row]
            described.append({"name": column, "type": "events", "storage": "lists", "offset": at, "length": len(ends), "value_offset": len(buffers), "value_length": len(flat)})
            buffers += struct.pack(f"<{len(flat)}d", *flat)
        else:
            buffers += struct.pack(f"<{len(values)}d", *values)
            described.append({"name": column, "type": "event" if column == "event" else "ns", "storage": "f64", "offset": at, "length": len(values)})
        buffers += b"\0" * (-len(buffers) % 8)
    header = json.dumps({"tables": [{"name": name, "rows": len(next(iter(columns.values()))), "columns": described}]}).encode()
    header += b" " * (-(8 + len(header)) % 8)
    return b"LWF1" + struct.pack("<I", len(header)) + header + buffers


def home(name: str, path: str) -> dict:
    return {"traces": [{"id": "a1", "name": name, "path": path, "state": "ready", "health": "good"}]}


def redacted(texts: dict, frames: dict) -> SimpleNamespace:
    recorder = SimpleNamespace(texts={"GET api/home": home("secret_run.json", "/home/ann/secret_run.json"), **texts}, frames=frames)
    Redaction(recorder.texts, recorder.frames).apply(recorder)
    return recorder


@pytest.mark.parametrize("name", ["aten::mul", "cudaLaunchKernel", "nrta_execute_schedule", "cuLaunchKernelEx", "hipLaunchKernel", "hsa_signal_wait", "nc_exec_running", "nccl:all_reduce", "ProfilerStep#6", "Memcpy HtoD (Pageable -> Device)", "AddmmBackward0", "neuron:0", "stream 7"])
def test_public_names_stay(name):
    assert PUBLIC.match(name)


@pytest.mark.parametrize("name", ["my_model.py(12): forward", "nn.Module: SecretNet_0", "acme::attention", "fused_secret_kernel", "ann-laptop", "/home/ann/x", "train loop", "customer_forward", "urgent_model", "secret:0"])
def test_unknown_names_do_not_stay(name):
    assert not PUBLIC.match(name) and not PUBLIC_KERNEL.search(name)


def test_library_kernels_stay():
    assert PUBLIC_KERNEL.search("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>")


def test_the_same_name_is_the_same_word_wherever_it_stands():
    texts = {"GET api/trace/a1": {"names": ["aten::mul", "secret_step"], "parts": [{"path": "/home/ann/secret_run.json"}]},
             "GET api/trace/a1/event/5": {"id": "5", "name": "secret_step", "args": {"Input Dims": [[4, 512]], "host_name": "ann-laptop"},
                                          "json": '{"name": "secret_step"}', "stack": [{"name": "loop", "file": "/home/ann/train.py", "line": 3}]}}
    frames = {"POST api/trace/a1/table/verdict {}": frame("findings", {"text": ["secret_step waits for aten::mul (train.py:3)"], "file": ["/home/ann/train.py"], "gain_ns": [5.0]}),
              'POST api/trace/a1/select {"name":"secret_step"}': frame("selection", {"event": [5.0]})}
    recorder = redacted(texts, frames)
    names = recorder.texts["GET api/trace/a1"]["names"]
    event = recorder.texts["GET api/trace/a1/event/5"]
    assert names[0] == "aten::mul" and names[1] == event["name"] and "secret" not in names[1]
    assert event["args"] == {"Input Dims": [[4, 512]]} and event["json"] == "" and event["stack"][0]["line"] == 3
    verdict = header_of(recorder.frames["POST api/trace/a1/table/verdict {}"])["tables"][0]["columns"]
    assert verdict[0]["dictionary"][0].startswith(f"{names[1]} waits for aten::mul")
    assert verdict[1]["dictionary"] == [event["stack"][0]["file"]]
    assert f'POST api/trace/a1/select {{"name":"{names[1]}"}}' in recorder.frames
    everything = json.dumps(recorder.texts) + "".join(answer.decode("latin1") for answer in recorder.frames.values()) + "".join(recorder.frames)
    for secret in ("secret", "/home/ann", "ann-laptop", "train.py"):
        assert secret not in everything


def test_our_own_sentences_stay_readable():
    texts = {"GET info": {"name": "program", "text": "138 executions pay their fixed cost each; one program for all of them, not customer_net"}, "GET more": {"name": "customer_net"}}
    answer = redacted(texts, {}).texts["GET info"]
    assert answer["name"] != "program" and "one program for all" in answer["text"] and "customer_net" not in answer["text"]


def test_numbers_of_a_redacted_frame_are_what_they_were():
    before = frame("rows", {"name": ["private", "aten::add"], "sum_ns": [3.0, 4.0], "evidence": [[1.0, 2**32 + 2.0], [7.0]]})
    after = redacted({}, {"POST x {}": before}).frames["POST x {}"]
    (table,) = read_frame(after)
    assert table["columns"][2]["lists"] == [["1", "1:2"], ["7"]]
    assert table["columns"][0]["values"][1] == "aten::add"
    length = struct.unpack_from("<I", after, 4)[0]
    assert (8 + length) % 8 == 0
    assert after[8 + length :] == before[8 + struct.unpack_from("<I", before, 4)[0] :]


def test_keys_are_those_of_the_page():
    assert key_of("POST", "x", {"b": [1, {"d": 1, "c": 2}]}) == 'POST x {"b":[1,{"c":2,"d":1}]}'
    assert key_of("GET", "api/home") == "GET api/home"


def test_event_ids_are_exact():
    assert [event_text(5.0), event_text(3 * 2**32 + 9.0), event_text(float("nan"))] == ["5", "3:9", None]
