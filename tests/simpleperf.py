"""Captures as Android's simpleperf writes them, made by hand; no code of src takes part.

captures() gives them by name. Layouts: src/format/FORMAT.md 16. Everything is little-endian, and what fills a
record or a string up is not zero, as in real captures.
"""
import struct

LEFT_OVER = 0xa5  # what uninitialised memory holds

RECORDS = ('KERNEL_SYMBOL', 'DSO', 'SYMBOL', 'SPLIT', 'SPLIT_END', 'EVENT_ID', 'CALLCHAIN', 'UNWINDING_RESULT', 'TRACING_DATA',
           'DEBUG')
(KERNEL_SYMBOL, DSO, SYMBOL, SPLIT, SPLIT_END, EVENT_ID, CALLCHAIN, UNWINDING_RESULT, TRACING_DATA,
 DEBUG) = range(32769, 32779)
FILE, META_INFO, DEBUG_UNWIND, DEBUG_UNWIND_FILE, FILE2, ETM_BRANCH_LIST, INIT_MAP = range(128, 135)
IP, TID, TIME, READ, CALLS, ID, CPU, PERIOD, RAW, BRANCHES, REGS, STACK = 1, 2, 4, 16, 32, 64, 128, 256, 1024, 2048, 4096, 8192
DEFAULT = IP | TID | TIME | ID | CPU | PERIOD


def u32(*values):
    return struct.pack(f'<{len(values)}I', *values)


def u64(*values):
    return struct.pack(f'<{len(values)}Q', *values)


def room(data, unit, fill=LEFT_OVER):
    return data + bytes([fill]) * (-len(data) % unit)


def text(string, unit=8):
    """NUL-terminated, filled up to a multiple."""
    return room(string.encode() + b'\0', unit)


def own(kind, body):
    """A record of simpleperf's: the size is 32 bits, of which the high half comes first."""
    size = 8 + len(body)
    return struct.pack('<IHH', kind, size >> 16, size & 0xffff) + body


def record(kind, misc, body):
    return struct.pack('<IHH', kind, misc, 8 + len(body)) + body


def split(whole):
    """A record that is too long for one, in pieces."""
    piece = 65527
    return b''.join(own(SPLIT, whole[i:i + piece]) for i in range(0, len(whole), piece)) + own(SPLIT_END, b'')


def attr(size=128, kind=0, config=0, sample_type=DEFAULT, flags=1 << 0 | 1 << 1 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 18,
         read_format=7, regs=0):
    body = u32(kind, size) + u64(config, 4000, sample_type, read_format, flags)
    body += u32(0, 0) + u64(0, 0, 3 if sample_type & BRANCHES else 0, regs) + u32(8192 if sample_type & STACK else 0, 0)
    return body + bytes(size - len(body))


def sample_id(id=11, time=0, cpu=True, number=0):
    return u32(100, 100) + u64(time, id) + (u32(number, 0) if cpu else b'')


def sample(time=1000, id=11, raw=None, more=b'', cpu=True):
    """more: the fields after the period, which the attr has."""
    if raw is not None:
        more += u32(len(raw)) + raw
    return record(9, 2, u64(0x400123) + sample_id(id, time, cpu) + u64(5000) + more)


def comm(id=11, cpu=True):
    return record(3, 0, u32(100, 100) + text('app') + sample_id(id, 0, cpu))


def mmap2(id=11, cpu=True):
    """Device, inode and flags hold what the memory did. They are fields, so this is content."""
    return record(10, 2, u32(100, 100) + u64(0x400000, 0x1000, 0) + b'left' * 6 + u32(5) + b'over'
                  + text('/system/bin/app64') + sample_id(id, 0, cpu))


def hstr(string):
    data = room(string.encode() + b'\0', 64, 0)
    return u32(len(data)) + data


def build_id(path, number=bytes(range(1, 21)), fill=0):
    name = room(path.encode() + b'\0', 64, fill)
    return struct.pack('<IHH', 67, 2, 36 + len(name)) + u32(0xffffffff) + number + bytes([fill] * 4) + name


def meta_info(**more):
    pairs = {'simpleperf_version': '1.build.7820434', 'system_wide_collection': 'false', 'clockid': 'monotonic',
             'event_type_info': 'cpu-cycles,0,0', 'android_version': '12', 'product_props': 'Google:Pixel 5:redfin',
             **more}
    return b''.join(k.encode() + b'\0' + v.encode() + b'\0' for k, v in pairs.items())


def file_entry(kind, offset=True, path='/system/lib64/libc.so', names=('malloc', 'free')):
    """An entry of FILE: path, type, symbols, and what the type has."""
    symbols = b''.join(u64(0x1000 * i) + u32(16) + n.encode() + b'\0' for i, n in enumerate(names, 1))
    body = path.encode() + b'\0' + u32(kind) + u64(0x1000) + u32(2) + symbols
    if kind == 3:
        body += u32(2) + u64(0x40, 0x80)
    if kind in (1, 2) and offset:
        body += u64(0x1000)
    return u32(len(body)) + body


# Protobuf: (field, int) is a varint, (field, bytes) a string or message; zeros are left out by the caller.
def varint(n):
    out = b''
    while n >= 128:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def message(*fields):
    return b''.join(varint(f << 3) + varint(v) if isinstance(v, int) else varint(f << 3 | 2) + varint(len(v)) + v
                    for f, v in fields)


def file2(*messages):
    return b''.join(u32(len(m)) + m for m in messages)


def file2_entry(kind):
    symbols = [(4, message((1, 0x1000 * i), (2, 16), (3, b'f%d' % i))) for i in (1, 2)]
    by_type = {0: [], 1: [(7, message((1, 0x2000)))], 2: [(6, message())], 3: [(5, message((1, varint(64) + varint(128))))]}
    number = [(2, kind)] if kind else []
    return message((1, b'/apex/lib.so'), *number, (3, 0x1000), *symbols, *by_type.get(kind, []))


def tracing_data(fmt='\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n'
                 '\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n'
                 '\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n'
                 '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n'
                 '\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n', number=47, kallsyms=0):
    event = f'name: sched_switch\nID: {number}\nformat:\n{fmt}\nprint fmt: "pid=%d", REC->pid\n'.encode()
    page = (b'\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n'
            b'\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n')
    return (b'\x17\x08\x44tracing0.5\0' + bytes([0, 8]) + u32(4096) + b'header_page\0' + u64(len(page)) + page
            + b'header_event\0' + u64(4) + b'type' + u32(0) + u32(1) + b'sched\0' + u32(1) + u64(len(event)) + event
            + u32(kallsyms) + b'0 t symbol\n' * (kallsyms // 11) + bytes(kallsyms % 11) + u32(0))


def capture(records, features, attrs=None, ids=None, entry=0, gap=0):
    """gap: bytes of the table that are reserved and not used."""
    """A file: header, all ids, attrs, data, table, features in the given order."""
    attrs = attrs or [attr()]
    ids = ids or [[11 + i] for i in range(len(attrs))]
    entry = entry or len(attrs[0]) + 16
    out, places = bytearray(104), []
    for own_ids in ids:
        places.append((len(out), 8 * len(own_ids)))
        out += u64(*own_ids)
    attrs_at = len(out)
    for one, place in zip(attrs, places):
        out += one + bytes(entry - 16 - len(one)) + u64(*place)
    data_at = len(out)
    out += b''.join(records)
    data_size = len(out) - data_at
    bits = sorted(features)
    table = len(out)
    out += bytes(16 * len(bits) + gap)
    for bit, content in features.items():
        slot = table + 16 * bits.index(bit)
        out[slot:slot + 16] = u64(len(out), len(content))
        out += content
    mask = sum(1 << bit for bit in bits)
    out[:104] = (b'PERFILE2' + u64(104, entry, attrs_at, entry * len(attrs), data_at, data_size, 0, 0)
                 + mask.to_bytes(32, 'little'))
    return bytes(out)


def common(**more):
    return {2: build_id('/system/lib64/libc.so'), 4: hstr('4.19.110'), 6: hstr('aarch64'),
            11: u32(2) + hstr('/system/bin/simpleperf') + hstr('record'), META_INFO: meta_info(**more)}


EVERY_KEY = {
    'trace_offcpu': 'true', 'kernel_symbols_available': 'true', 'timestamp': '1700000000', 'android_sdk_version': '31',
    'android_build_type': 'userdebug', 'android_build_fingerprint': 'google/redfin/redfin:12/S/1:userdebug/dev-keys',
    'kernel_version': '4.19.110', 'app_package_name': 'com.x.y', 'app_type': 'debuggable', 'recording_process': '100',
    'record_stat': 'sample_record_count=2,kernelspace_lost_records=0,userspace_lost_samples=0,userspace_lost_non_samples=0,'
                   'userspace_truncated_stack_samples=0',
    'arm64_pac_mask': '0xff7fff8000000000', 'debug_unwind': 'true', 'debug_unwind_mem_before': 'VmPeak:27524 kB;VmSize:1 kB',
    'debug_unwind_mem_after': 'VmPeak:27524 kB;VmSize:1 kB', 'mine': 'of --add-meta-info'}


def of_kernel():
    """Each record of the kernel that simpleperf passes on, with the sample_id of attr 0."""
    thread, last = u32(100, 100), sample_id(time=1500)
    return [record(kind, misc, body + last) for kind, misc, body in (
        (1, 1, u32(0xffffffff, 0) + u64(0xffffffc010080000, 0x1000000, 0xffffffc010080000) + text('[kernel.kallsyms]_text')),
        (7, 0, u32(200, 100, 200, 100) + u64(1500)),                        # FORK
        (4, 0, u32(200, 100, 200, 100) + u64(1500)),                        # EXIT
        (2, 0, u64(11, 3)),                                                 # LOST
        (5, 0, u64(1500, 11, 11)), (6, 0, u64(1500, 11, 11)),               # THROTTLE, UNTHROTTLE
        (12, 0, thread), (14, 0x2000, b''), (14, 0, b''))]                  # ITRACE_START, SWITCH


def sample_layouts():
    """By name: captures with the sample types that are seen, and the fields that they add."""
    chain, stack = u64(4, 0xffffffffffffff80, 0xffffffc010081234, 0xfffffffffffffe00, 0x400123), b'the stack of it.'
    regs = u64(2, 1, 2, 3)
    old, unwound = TIME | IP | TID | ID | PERIOD, CALLS | BRANCHES | REGS | STACK
    layouts = {
        'sample_old': (old, {}, []), 'sample_old_chain': (old | CALLS, {}, [chain]),
        'sample_old_tracepoint': (old | CALLS | REGS | STACK, {}, [chain + regs + u64(16) + stack + u64(16), chain + u64(0, 0)]),
        'sample_old_branches': (old | BRANCHES, {}, [u64(1, 0x400100, 0x400200, 0)]),
        'sample_counters': (DEFAULT | READ, {'read_format': 15}, [u64(1, 500, 400, 1234, 11)]),
        'sample_unwound': (DEFAULT | unwound, {}, [
            chain + u64(0) + regs + u64(16) + stack + u64(16), chain + u64(0) + regs + u64(0), chain + u64(0) + u64(0, 0)])}
    result = {}
    for name, (bits, more, fields) in layouts.items():
        one = attr(sample_type=bits, regs=0b1011 if bits & REGS else 0, **more)
        cpu = bool(bits & CPU)
        samples = [sample(1000 + i, more=field, cpu=cpu) for i, field in enumerate(fields or [b''])]
        extra = {15: b''} if bits & BRANCHES else {}
        result[name] = capture([comm(cpu=cpu), mmap2(cpu=cpu), *samples], {**common(), **extra}, attrs=[one])
    return result


def unwinding(form, stack=b'', last=True):
    body = u64(900, 20, 3, 0x7000)
    if form >= 2:
        body += u64(0x7f0000, 0x7f1000)
    if form == 3:
        body += u64(2, 0b1011, 1, 2, 3) + u64(len(stack)) + stack + (u64(len(stack)) if stack else b'')
        if last:
            body += u64(2, 0x10, 0x20, 0x7f0010, 0x7f0020)
    return own(UNWINDING_RESULT, body)


def kernel_symbol(symbols):
    return own(KERNEL_SYMBOL, u32(len(symbols)) + room(symbols, 8))


def trace_record(data):
    return own(TRACING_DATA, u32(len(data)) + room(data, 64))


def with_records(*own_records, features=None, **kwargs):
    return capture([comm(), mmap2(), *own_records, sample(), sample(2000)], features or common(), **kwargs)


def records():
    """By name: each own record, in each of its forms."""
    return {
        'kernel_symbol': kernel_symbol(b'ffffffff81000000 T _stext\n' * 3),
        'kernel_symbol_empty': kernel_symbol(b''),
        'dso': own(DSO, u64(2, 1, 0x1000) + text('/system/lib64/libc.so')),
        'dso_no_min_vaddr': own(DSO, u64(2, 1) + text('/system/lib64/libc.so')),
        'dso_no_min_vaddr_short': own(DSO, u64(2, 2) + text('/init')),
        'symbol': own(SYMBOL, u64(0x1000, 16, 1) + text('malloc')),
        'kernel_symbol_old': own(KERNEL_SYMBOL, u32(0, 26) + room(b'ffffffff81000000 T _stext\n', 8)),
        'kernel_symbol_old_last': own(KERNEL_SYMBOL, u32(1, 26) + room(b'ffffffff81000000 T _etext\n', 8)),
        'event_id': own(EVENT_ID, u64(2, 0, 77, 0, 78)),
        'event_id_empty': own(EVENT_ID, u64(0)),
        'callchain': own(CALLCHAIN, u32(100, 100) + u64(2, 900, 2, 0x10, 0x20, 0x7f0010, 0x7f0020)),
        **{f'callchain_{kind}': own(CALLCHAIN, u32(100, 100) + u64(kind, 900, 0)) for kind in range(4)},
        'unwinding_1': unwinding(1),
        'unwinding_2': unwinding(2),
        'unwinding_3': unwinding(3),
        'unwinding_3_stack': unwinding(3, b'stack of the thread....'),
        'unwinding_3_short': unwinding(3, last=False),
        'debug': own(DEBUG, u64(900) + text('message')),
        'split': split(kernel_symbol(b'ffffffff81000000 T _stext\n' * 6000)),
    }


def features():
    """By name: the own features of a capture."""
    result = {f'file_{kind}': {FILE: file_entry(kind)} for kind in range(6)}
    result |= {f'file_{kind}_old': {FILE: file_entry(kind, False)} for kind in (1, 2)}
    result['file2_unpacked'] = {FILE2: file2(message((1, b'/a.dex'), (2, 3),
        (5, message((1, 64), (1, 128), (1, varint(7) * 2), (1, 9)))))}
    result |= {f'file2_{kind}': {FILE2: file2(file2_entry(kind), file2_entry(0))} for kind in range(6)}
    elf = [b'\x7fELF one', b'\x7fELF the other']
    result['debug_unwind'] = {DEBUG_UNWIND_FILE: b''.join(elf), DEBUG_UNWIND: message(
        *((1, message((1, b'/lib/%d.so' % i), (2, len(e)))) for i, e in enumerate(elf)))}
    records = 2 * sample()
    result['debug_unwind_records'] = {DEBUG_UNWIND_FILE: records, DEBUG_UNWIND: message((1, message((1, b'/data'), (2, len(records)))))}
    result['debug_unwind_empty'] = {DEBUG_UNWIND_FILE: b'', DEBUG_UNWIND: b''}
    result['debug_unwind_no_files'] = {DEBUG_UNWIND: b''}
    branch = message((1, b'\x05'), (2, 3), (3, 9))
    binaries = [(2, message((1, b'/lib/a.so'), (2, b'0102'), (3, message((1, 0x1000), (2, branch))), *more)) for more in (
        [], [(4, 1), (5, message((1, 0xffffffc010080000)))], [(4, 2)])]
    result['init_map'] = {INIT_MAP: (comm() + mmap2()).replace(bytes([LEFT_OVER]), b'\0')}  # what fills it up is content
    result['etm_branch_list'] = {ETM_BRANCH_LIST: message((1, b'simpleperf:EtmBranchList'), *binaries)}
    return result


def etm_capture(count, index=True, per_cpu=0x4040404040404040):
    """AUX traces of Coresight: an index without the number of its entries. Several cpus, one trace of each."""
    words = 10 if per_cpu == 0x4040404040404040 else 11
    cpus = b''.join(u64(per_cpu, cpu, words - 3, 0, 16 + cpu, *range(words - 5)) for cpu in range(count))
    info = record(70, 0, u32(3, 0) + u64(1) + u32(count, 8) + u64(0) + cpus)
    records = [info, comm(), mmap2(), *(record(11, 0, u64(0, 64, 0x100) + sample_id(number=cpu)) for cpu in range(count))]
    at, entries = 104 + 8 + 144 + sum(map(len, records)), b''
    for cpu in range(count):
        entries += u64(at, 48)
        records.append(record(71, 0, u64(64, 0, 0) + u32(cpu, 0, cpu, 0)) + bytes(64))
        at += len(records[-1])
    features = common(event_type_info='cs-etm,8,0')
    if index:
        features[18] = entries
    return capture(records, features, attrs=[attr(kind=8, sample_type=DEFAULT)])


def traced(*records_before, payload=bytes([47, 0, 0, 0]) + u32(100, 100), **kwargs):
    """Samples of a tracepoint, with what describes them."""
    return capture([*records_before, comm(), sample(raw=payload)], common(event_type_info='sched:sched_switch,2,47'),
                   attrs=[attr(kind=2, config=47, sample_type=DEFAULT | RAW)], **kwargs)


def everything():
    """Every own record and feature, with two events, of which one is a tracepoint."""
    own_features = {bit: body for more in features().values() for bit, body in more.items()}
    own_features[FILE] = b''.join(file_entry(kind, path='/apex/lib.so', names=('f1', 'f2')) for kind in (5, 0))
    own_features |= features()['debug_unwind']
    payload = u32(47, 100, 100)
    return capture([trace_record(tracing_data()), comm(), mmap2(), *records().values(), sample(), sample(2000, 12, payload),
                    sample(3000, 77), sample(4000, 12, payload)],
                   {**common(event_type_info='cpu-cycles:u,0,0\nsched:sched_switch,2,47', **EVERY_KEY), **own_features},
                   [attr(), attr(kind=2, config=47, sample_type=DEFAULT | RAW)], [[11], [12, 13]])


def ids_move():
    """Ids that EVENT_ID gives to another event, as in a merge of recordings that have the same ids: the later one counts."""
    def samples(time):
        return [sample(time + i, 11 + i % 2) for i in range(20)]
    return capture([comm(), mmap2(), *samples(1000), own(EVENT_ID, u64(2, 1, 11, 0, 12)), *samples(2000)[:10], own(EVENT_ID, u64(2, 0, 11, 0, 12)),
                    *samples(3000)[:8]],
                   common(event_type_info='cpu-cycles,0,0\ninstructions,0,1'), [attr(), attr(config=1)], [[11], [12]])


def captures():
    result = {'plain': with_records(), 'no_meta_info': with_records(features={4: hstr('3.18.0')}),
              'attr_112': with_records(attrs=[attr(112)]), 'attr_120': with_records(attrs=[attr(120)]), 'attr_120_in_144': with_records(attrs=[attr(120)], entry=144),
              'attr_136': with_records(attrs=[attr(136)]), 'of_kernel': with_records(*of_kernel()),
              'table_reserved': with_records(gap=48), 'bytes_after_it': with_records() + b'left over from before' * 9,
              'features_any_order': with_records(features=dict(reversed(common().items()))),
              'every_key': with_records(features=common(**EVERY_KEY)), **sample_layouts(),
              'two_attrs': capture([comm(), sample(), sample(2000, 12), sample(3000, 13)],
                                   common(event_type_info='cpu-cycles,0,0\ninstructions:u,0,1'), [attr(), attr(config=1)],
                                   [[11], [12, 13]])}
    result |= {name: with_records(one) for name, one in records().items()}
    result['all_records'] = with_records(*records().values())
    result |= {name: with_records(features={**common(), **own_features}) for name, own_features in features().items()}
    every = {k: v for one in features().values() for k, v in {**common(), **one}.items()}
    result['all_features'] = with_records(features={
        **every, FILE: b''.join(file_entry(kind, path='/apex/lib.so', names=('f1', 'f2')) for kind in (5, 0))})
    result['merged'] = capture([comm(), sample(), own(EVENT_ID, u64(1, 0, 77)), sample(2000, 77)], common())
    result['merged_events'] = capture(
        [comm(), mmap2(), sample(1500, 12), own(EVENT_ID, u64(3, 1, 77, 0, 78, 1, 77)), sample(2000, 77), sample(2100, 78),
         own(EVENT_ID, u64(1, 1, 79)), sample(2200, 79), sample(2300, 77)],
        common(event_type_info='cpu-cycles,0,0\ninstructions,0,1'), [attr(), attr(config=1)], [[11], [12]])
    result['everything'] = everything()
    result['tracing_data'] = traced(trace_record(tracing_data()))
    data = tracing_data()
    result['tracing_data_66'] = traced(record(66, 0, u32(len(data)) + room(data, 64)))
    result['tracing_data_split'] = traced(split(trace_record(tracing_data(kallsyms=137000))))
    result |= {'etm': etm_capture(1), 'etm_cpus': etm_capture(3), 'etm_trace_dropped': capture(
        [comm(), record(11, 0, u64(0, 64, 0) + sample_id())], common(event_type_info='cs-etm,8,0'), attrs=[attr(kind=8)])}
    result['etm_ete'] = etm_capture(2, per_cpu=0x5050505050505050)
    result['left_over'] = with_records(features={**common(), 2: build_id('/system/lib64/libc.so', fill=LEFT_OVER)})
    result['no_build_ids'] = with_records(features={**common(), 2: b''})
    result['tracepoint_alone'] = capture([comm(), sample()], common(event_type_info='sched:sched_switch,2,47'), [attr(kind=2, config=47)])
    return result


def event_names(content):
    """The names of the events, one for each attr, as META_INFO has them; []: it has none."""
    return [line.rsplit(',', 2)[0] for line in
            content.partition(b'event_type_info\0')[2].partition(b'\0')[0].decode().splitlines()]


def event_of_samples(content):
    """How many samples each event has, from the bytes. Its event: the id section or an EVENT_ID has the sample's id."""
    names, counts, events = event_names(content), {}, {}
    entry, at, size, data, data_size = struct.unpack_from('<5Q', content, 16)
    for number in range(size // entry):
        ids, ids_size = struct.unpack_from('<QQ', content, at + entry * number + entry - 16)
        events |= dict.fromkeys(struct.unpack_from(f'<{ids_size // 8}Q', content, ids), number)
    at, end = data, data + data_size
    while at < end:
        kind, high, low = struct.unpack_from('<IHH', content, at)
        if kind == EVENT_ID:
            pairs = struct.unpack_from(f'<{(low - 16) // 8}Q', content, at + 16)
            events |= dict(zip(pairs[1::2], pairs[::2]))
        if kind == 9:
            number = events[struct.unpack_from('<Q', content, at + 32)[0]]
            name = names[number] if names else None
            counts[name] = counts.get(name, 0) + 1
        at += low if kind <= 32768 else high << 16 | low
        if kind == 71:  # AUXTRACE: the trace follows
            at += struct.unpack_from('<Q', content, at - 40)[0]
    return counts
