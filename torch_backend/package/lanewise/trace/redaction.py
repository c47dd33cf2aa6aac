# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Takes paths, names and hosts out of the answers of a report.

What is public stays: operators and kernels of PyTorch and the vendors' libraries, runtime calls, step numbers. Every other name
(functions, modules, annotations, kernels of one's own, files, folders, processes, hosts) becomes a numbered word, the same one
wherever it stood, so that the report still tells the same story. Fields of events keep only what speaks of shapes and
placement; the raw text of events goes.
"""

from __future__ import annotations

import json
import re
import struct

# Names that say nothing of whose model it is.
PUBLIC = re.compile(
    r"""^(?:
        (?:aten|prim|prims|torch|c10d|c10|autograd|quantized|profiler|neuron|record_param_comms|inductor|mkldnn|onednn|xla|nccl|gloo)(?:::|$)[\w:.]*
        | (?:cuda|cu|hip|hsa|nccl|rccl|hccl|acl|aclrt|xpu|ur|ze)(?:[A-Z]|_[a-z])\w* | (?:nrt|nrta|nc)_\w+ | nccl:[a-z_]+
        | Mem(?:cpy|set)\b.*
        | ProfilerStep\#\d+ | ProfilerStep\*
        | (?:Optimizer\.(?:step|zero_grad)\#\w+) | (?:\w+Backward\d+) | autograd::engine::evaluate_function:\ [\w:]+
        | \[memory\] | Iteration\ Start.* | Buffer\ Flush | Activity\ Buffer\ Request | Lazy\ Function\ Loading | Instrumentation | Resource
        | (?:stream|thread|process|device|rank|part|steps?|idle|default)\b[\s\d:,]*
        | (?:cpu|cuda|hip|xpu|hpu|npu|mtia|neuron|privateuseone|maia):\d+
    )$""",
    re.VERBOSE,
)
# Kernels of public libraries, however their templates are filled.
PUBLIC_KERNEL = re.compile(r"at::native|cutlass|cublas|cudnn|flash_fwd|flash_bwd|pytorch_flash|nvjet|^triton_(?:poi|red|per|tem)_fused|^sm\d+_|^ampere_|^volta_|^Cijk_|^ck::|^(?:mul|add|sub|div|mean|rsqrt|pow|mm|bmm|cat|sum|copy|sqrt|exp)(?:\.\w+)?$")
# Words of our own answers, which are no names of the user's.
OWN_KEYS = {"kind", "cause", "check", "state", "role", "category", "group", "method", "device", "type", "status", "metric", "part", "format", "health", "version", "schema", "storage", "id", "confidence", "device_type", "source", "origin", "simulated", "link", "event", "flags", "correlation", "external_id", "stream", "tid", "preset", "machine"}
PATH_KEYS = {"path", "file", "trace_name", "module"}
# Nouns and verbs of our own sentences. A range that someone called "program" is renamed where it is a name, not where a sentence of
# ours says "one program for all of them".
OWN_WORDS = frozenset("""
    program programs launch launches device devices host hosts kernel kernels copy copies copied step steps stream streams operator operators call calls called
    time times wait waits waited waiting work works busy idle overhead execution executions compile compiled compiling graph input inputs output outputs batch loop
    model train training forward backward memory bytes line lines trace capture profiler synchronize submit submitted queue rank ranks event events small large first last
    once every each inside outside before after while until with without from into keep move larger fewer fuse fused cost costs share most them they that this
""".split())
# Fields of events that may stay.
SAFE_ARGS = re.compile(r"^(?:Input (?:Dims|type|Strides)|Concrete Inputs|External id|correlation|cbid|device|stream|context|grid|block|registers per thread|shared memory|blocks per SM|warps per SM|est\. achieved occupancy %|Bytes|bytes|Total (?:Allocated|Reserved)|Device (?:Id|Type)|Sequence number|Fwd thread id|Record function id|Ev Idx|memory bandwidth.*|.* ns|launch id|queued)$")


class Redaction:
    """Collects what must go from all answers, then writes them anew."""

    def __init__(self, texts: dict[str, object], frames: dict[str, bytes]) -> None:
        self.words: dict[str, str] = {}
        self.counts: dict[str, int] = {}
        for trace in texts["GET api/home"]["traces"]:
            self.take(trace["name"], "trace")
        for answer in texts.values():
            self.collect(answer, "")
        for frame in frames.values():
            for table in header_of(frame)["tables"]:
                for column in table["columns"]:
                    for text in column.get("dictionary", []):
                        self.collect(text, column["name"])
        # Longest first: a path before the file's name inside it. Short ones stand alone only, or every "x" would go.
        long = sorted((word for word in self.words if len(word) >= 4 and word not in OWN_WORDS), key=len, reverse=True)
        self.inside = re.compile(rf"(?<![\w:])(?:{'|'.join(map(re.escape, long))})(?!\w)") if long else None

    def collect(self, value: object, key: str) -> None:
        if isinstance(value, dict):
            for name, member in value.items():
                if name not in ("json", "args"):
                    self.collect(member, name)
        elif isinstance(value, list):
            for member in value:
                self.collect(member, key)
        elif isinstance(value, str) and value and key not in OWN_KEYS:
            if key in PATH_KEYS or "/" in value and " " not in value:
                self.take(value, "module" if key == "module" else "file")
                if key != "module":  # sentences name files without their folders
                    self.take(value.rstrip("/").split("/")[-1], "file")
            elif key in ("text", "error", "health_text", "title", "subtitle", "about"):
                return  # a sentence of ours: only the names inside it go
            elif not PUBLIC.match(value) and not PUBLIC_KERNEL.search(value):
                for name in [value, *re.split(r",\s*", value)]:
                    if not PUBLIC.match(name) and not PUBLIC_KERNEL.search(name):
                        self.take(name, "name")

    def take(self, word: str, kind: str) -> None:
        # Numbers (pids, tids, ranks) name nobody.
        if word and word not in self.words and not word.lstrip("-").isdigit():
            self.counts[kind] = self.counts.get(kind, 0) + 1
            self.words[word] = f"{kind} {self.counts[kind]}"

    def text(self, text: str) -> str:
        known = self.words.get(text)
        if known is not None:
            return known
        if PUBLIC.match(text) or PUBLIC_KERNEL.search(text):
            return text
        return self.inside.sub(lambda match: self.words[match.group()], text) if self.inside else text

    def value(self, value: object, key: str) -> object:
        if isinstance(value, dict):
            if key == "args":
                return {name: member for name, member in value.items() if SAFE_ARGS.match(name)}
            return {name: "" if name == "json" else self.value(member, name) for name, member in value.items()}
        if isinstance(value, list):
            return [self.value(member, key) for member in value]
        if not isinstance(value, str) or key in OWN_KEYS - {"source"}:
            return value
        if key in ("title", "subtitle"):
            return self.lane_title(value) or ("lane" if key == "title" else "")
        return self.text(value)

    def lane_title(self, text: str) -> str:
        """Titles of lanes hold names of processes and threads: of their parts only what is public stays."""
        text = re.sub(r"\([^)]*\)", "", text)
        text = re.sub(r"\S+(?=\s+pid\b)", "process", text)
        parts = [part.strip() for part in text.split("·")]
        return " · ".join(part for part in parts if PUBLIC.match(part) or re.fullmatch(r"(?:process pid|by|from|their|first|launch|ranges on|profiler|allocated|reserved|cpu|bytes|annotations|cause|last|work|[\s\d:,]|\w+:\d+)+", part))

    def frame(self, frame: bytes) -> bytes:
        (length,) = struct.unpack_from("<I", frame, 4)
        header = header_of(frame)
        for table in header["tables"]:
            for column in table["columns"]:
                if "dictionary" in column and column["name"] not in OWN_KEYS - {"source"}:
                    column["dictionary"] = [self.text(text) for text in column["dictionary"]]
        if "by_name" in header:
            header["by_name"] = self.value(header["by_name"], "")
        text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
        text += b" " * (-(8 + len(text)) % 8)
        return frame[:4] + struct.pack("<I", len(text)) + text + frame[8 + length :]

    def key(self, key: str) -> str:
        """Questions hold names too: those that select by name."""
        method, _, rest = key.partition(" ")
        path, _, body = rest.partition(" ")
        if not body:
            return key
        asked = json.loads(body)
        if "name" in asked:
            asked["name"] = self.text(asked["name"])
        return f"{method} {path} {json.dumps(asked, sort_keys=True, separators=(',', ':'), ensure_ascii=False)}"

    def apply(self, recorder) -> str:
        """Rewrites the recorder's answers in place; returns the report's title."""
        recorder.texts = {self.key(key): self.value(answer, "") for key, answer in recorder.texts.items()}
        recorder.frames = {self.key(key): self.frame(frame) for key, frame in recorder.frames.items()}
        return recorder.texts["GET api/home"]["traces"][0]["name"]


def header_of(frame: bytes) -> dict:
    (length,) = struct.unpack_from("<I", frame, 4)
    return json.loads(frame[8 : 8 + length])
