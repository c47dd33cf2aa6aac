# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Reads a Perfetto trace with the public bindings the way a trace engine does; nothing of ours is used."""

from collections import defaultdict
from dataclasses import dataclass, field

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackEvent

REALTIME = 1  # perfetto.protos.BuiltinClock.BUILTIN_CLOCK_REALTIME


def whole_packets(data: bytes) -> bytes:
    """The bytes up to the last whole packet: what a reader of a cut file keeps."""
    at = 0
    while at < len(data):
        assert data[at] == 0x0A, f"no TracePacket at byte {at}"
        size, shift, i = 0, 0, at + 1
        while i < len(data):
            size |= (data[i] & 0x7F) << shift
            shift += 7
            i += 1
            if data[i - 1] < 0x80:
                break
        else:
            break
        if i + size > len(data):
            break
        at = i + size
    return data[:at]


@dataclass
class Slice:
    name: str
    category: str
    track: int
    start: int
    end: int | None = None
    depth: int = 0
    flows: list = field(default_factory=list)
    ending_flows: list = field(default_factory=list)
    args: dict = field(default_factory=dict)


class Reader:
    def __init__(self, data: bytes):
        trace = Trace()
        trace.ParseFromString(data)
        self.packets = list(trace.packet)
        self.tracks = {}
        self.clocks = None
        self.slices: list[Slice] = []
        self.unmatched = 0
        names, categories, keys, texts = {}, {}, {}, {}
        events = []
        for position, packet in enumerate(self.packets):
            assert packet.trusted_packet_sequence_id == 1
            flags = packet.sequence_flags
            cleared = TracePacket.SequenceFlags.SEQ_INCREMENTAL_STATE_CLEARED
            assert flags == (cleared if position == 0 else TracePacket.SequenceFlags.SEQ_NEEDS_INCREMENTAL_STATE)
            interned = packet.interned_data
            names.update((n.iid, n.name) for n in interned.event_names)
            categories.update((n.iid, n.name) for n in interned.event_categories)
            keys.update((n.iid, n.name) for n in interned.debug_annotation_names)
            texts.update((n.iid, n.str.decode()) for n in interned.debug_annotation_string_values)
            if packet.HasField("clock_snapshot"):
                self.clocks = packet.clock_snapshot
            if packet.HasField("track_descriptor"):
                assert packet.track_descriptor.uuid not in self.tracks
                self.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
            if packet.HasField("track_event"):
                assert packet.timestamp_clock_id == REALTIME
                assert packet.track_event.track_uuid in self.tracks, "an event before its track"
                events.append((packet.timestamp, packet.track_event))

        stacks = defaultdict(list)
        # Engines sort by time; at equal times the order of the file holds.
        for timestamp, event in sorted(events, key=lambda e: e[0]):
            stack = stacks[event.track_uuid]
            if event.type == TrackEvent.TYPE_SLICE_END:
                if stack:
                    stack.pop().end = timestamp
                else:
                    self.unmatched += 1
                continue
            assert event.type == TrackEvent.TYPE_SLICE_BEGIN
            slice = Slice(names[event.name_iid], categories[event.category_iids[0]], event.track_uuid, timestamp,
                          depth=len(stack), flows=list(event.flow_ids),
                          ending_flows=list(event.terminating_flow_ids))
            for a in event.debug_annotations:
                value = a.uint_value if a.HasField("uint_value") else texts[a.string_value_iid]
                slice.args[keys[a.name_iid]] = value
            stack.append(slice)
            self.slices.append(slice)
        self.unmatched += sum(len(s) for s in stacks.values())

    def named(self, name: str) -> list[Slice]:
        return [s for s in self.slices if s.name == name]

    def track_path(self, uuid: int) -> list[str]:
        track = self.tracks[uuid]
        own = f"thread {track.thread.tid}" if track.HasField("thread") else track.name
        return [own] + (self.track_path(track.parent_uuid) if track.parent_uuid else [])
