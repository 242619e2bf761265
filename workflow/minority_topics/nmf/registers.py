"""Rows of a factor as single values of compiled code, held in vector registers.

A `Row` is a whole number of cache lines. Operations on it are written out line by line when a
function is compiled, once for each number of lines, so that a loop over the nonzeros of V keeps its
row of X and its sums in registers and reads memory only for Y. Functions learn the number of lines
from the length of a tuple, `lines_of(n_topics, dtype)`. Arrays are indexed flat, as by `ravel()`.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

LINE = 64
# numba refuses tuples longer than this in parallel loops.
MOST_LINES = 100


def lines_of(n_topics, dtype):
    """A tuple as long as a row of so many topics has lines."""
    return (0,) * -(-n_topics * np.dtype(dtype).itemsize // LINE)


def empty_rows(n_rows, n_topics, dtype):
    """An array (n_rows x whole lines) that begins on a line, all of it undefined."""
    n_bytes = n_rows * len(lines_of(n_topics, dtype)) * LINE
    room = np.empty(n_bytes + LINE, dtype=np.uint8)
    begin = -room.ctypes.data % LINE
    return room[begin : begin + n_bytes].view(dtype).reshape(n_rows, -1)


class Row(types.Type):
    def __init__(self, dtype, n_lines):
        self.dtype = dtype
        self.n_lines = n_lines
        super().__init__(name=f"Row({dtype}, {n_lines})")


@register_model(Row)
class RowModel(models.PrimitiveModel):
    def __init__(self, manager, row):
        line = ir.VectorType(manager.lookup(row.dtype).get_value_type(), _lanes(row.dtype))
        super().__init__(manager, row, ir.ArrayType(line, row.n_lines))


def _lanes(dtype):
    return 8 * LINE // dtype.bitwidth


def _lines(builder, row):
    return [builder.extract_value(row, i) for i in range(row.type.count)]


def _row(builder, lines):
    row = ir.Constant(ir.ArrayType(lines[0].type, len(lines)), ir.Undefined)
    for i, line in enumerate(lines):
        row = builder.insert_value(row, line, i)
    return row


def _line_by_line(builder, operation, *rows):
    return _row(
        builder,
        [operation(*lines) for lines in zip(*(_lines(builder, row) for row in rows), strict=True)],
    )


def _call(builder, name, line, *operands, result=None, **options):
    """LLVM's intrinsic function `name` for vectors like `line`."""
    bits = 32 if isinstance(line.type.element, ir.FloatType) else 64
    kind = ir.FunctionType(result or line.type, [operand.type for operand in operands])
    name = f"llvm.{name}.v{line.type.count}f{bits}"
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, operands, **options)


def _places(context, builder, array, value, index, line, n_lines):
    """Pointers to the lines that begin at array.flat[index]."""
    data = context.make_array(array)(context, builder, value).data
    for i in range(n_lines):
        offset = builder.add(index, ir.Constant(index.type, i * line.count))
        yield builder.bitcast(builder.gep(data, [offset]), line.as_pointer())


@intrinsic
def load(typing_context, array, index, lines):
    row = Row(array.dtype, lines.count)

    def generate(context, builder, signature, arguments):
        line = context.get_value_type(row).element
        places = _places(context, builder, array, *arguments[:2], line, row.n_lines)
        return _row(
            builder, [builder.load(place, align=array.dtype.bitwidth // 8) for place in places]
        )

    return row(array, types.intp, lines), generate


def _store(context, builder, array, value, index, row, **options):
    lines = _lines(builder, row)
    places = _places(context, builder, array, value, index, lines[0].type, len(lines))
    return [
        builder.store(line, place, **options) for line, place in zip(lines, places, strict=True)
    ]


@intrinsic
def store(typing_context, array, index, row):
    def generate(context, builder, signature, arguments):
        _store(context, builder, array, *arguments, align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, row), generate


@intrinsic
def stream(typing_context, array, index, row):
    """Store past the caches, into an array that begins on a line; others see it after a `fence`."""

    def generate(context, builder, signature, arguments):
        mark = builder.module.add_metadata([ir.IntType(32)(1)])
        for line in _store(context, builder, array, *arguments, align=LINE):
            line.set_metadata("nontemporal", mark)
        return context.get_dummy_value()

    return types.void(array, types.intp, row), generate


@intrinsic
def fence(typing_context):
    """Let what was stored before, also past the caches, be seen before what is stored later."""

    def generate(context, builder, signature, arguments):
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def accumulate(typing_context, array, index, row):
    """array.flat[index...] += row, in double precision."""

    def generate(context, builder, signature, arguments):
        lines = _lines(builder, arguments[2])
        wide = ir.VectorType(ir.DoubleType(), lines[0].type.count)
        places = _places(context, builder, array, *arguments[:2], wide, len(lines))
        for line, place in zip(lines, places, strict=True):
            if line.type != wide:
                line = builder.fpext(line, wide)
            builder.store(builder.fadd(builder.load(place, align=8), line), place, align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, row), generate


@intrinsic
def fill(typing_context, number, lines):
    """A row of one number."""
    row = Row(number, lines.count)

    def generate(context, builder, signature, arguments):
        line = context.get_value_type(row).element
        undefined, index = ir.Constant(line, ir.Undefined), ir.IntType(32)
        first = builder.insert_element(undefined, arguments[0], index(0))
        everywhere = ir.Constant(ir.VectorType(index, line.count), [0] * line.count)
        return _row(builder, [builder.shuffle_vector(first, undefined, everywhere)] * row.n_lines)

    return row(number, lines), generate


@intrinsic
def multiply(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        return _line_by_line(builder, builder.fmul, *arguments)

    return a(a, b), generate


@intrinsic
def add(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        return _line_by_line(builder, builder.fadd, *arguments)

    return a(a, b), generate


@intrinsic
def subtract(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        return _line_by_line(builder, builder.fsub, *arguments)

    return a(a, b), generate


@intrinsic
def multiply_add(typing_context, a, b, c):
    """a b + c, in one rounding where the processor can."""

    def generate(context, builder, signature, arguments):
        return _line_by_line(
            builder, lambda a, b, c: _call(builder, "fmuladd", a, a, b, c), *arguments
        )

    return a(a, b, c), generate


@intrinsic
def square_root(typing_context, a):
    def generate(context, builder, signature, arguments):
        return _line_by_line(builder, lambda a: _call(builder, "sqrt", a, a), *arguments)

    return a(a), generate


@intrinsic
def minimum(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        def least(a, b):
            return builder.select(builder.fcmp_ordered("<", a, b), a, b)

        return _line_by_line(builder, least, *arguments)

    return a(a, b), generate


@intrinsic
def keep_above(typing_context, a, b):
    """a where a > b, 0 elsewhere."""

    def generate(context, builder, signature, arguments):
        def keep(a, b):
            return builder.select(builder.fcmp_ordered(">", a, b), a, ir.Constant(a.type, None))

        return _line_by_line(builder, keep, *arguments)

    return a(a, b), generate


def _sum(builder, lines):
    while len(lines) > 1:
        pairs = [builder.fadd(*pair) for pair in zip(lines[::2], lines[1::2], strict=False)]
        lines = pairs + lines[len(lines) & ~1 :]
    number = lines[0].type.element
    zero = ir.Constant(number, -0.0)
    add = "vector.reduce.fadd"
    return _call(builder, add, lines[0], zero, lines[0], result=number, fastmath=("reassoc",))


@intrinsic
def total(typing_context, a):
    """sum_k a_k."""

    def generate(context, builder, signature, arguments):
        return _sum(builder, _lines(builder, arguments[0]))

    return a.dtype(a), generate


@intrinsic
def dot(typing_context, a, b):
    """sum_k a_k b_k."""

    def generate(context, builder, signature, arguments):
        sums = []  # four at a time, so that none waits long for the last
        for a, b in zip(*(_lines(builder, row) for row in arguments), strict=True):
            if len(sums) < 4:
                sums.append(builder.fmul(a, b))
            else:
                sums = [*sums[1:], _call(builder, "fmuladd", a, a, b, sums[0])]
        return _sum(builder, sums)

    return a.dtype(a, b), generate


@intrinsic
def prefetch(typing_context, array, index, lines):
    """Ask the memory for a row that begins at array.flat[index], without waiting for it."""

    def generate(context, builder, signature, arguments):
        byte, i32 = ir.IntType(8), ir.IntType(32)
        line = ir.VectorType(context.get_value_type(array.dtype), _lanes(array.dtype))
        kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), i32, i32, i32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        for place in _places(context, builder, array, *arguments[:2], line, lines.count):
            address = builder.bitcast(place, byte.as_pointer())
            builder.call(function, [address, i32(0), i32(2), i32(1)])  # to read, second cache
        return context.get_dummy_value()

    return types.void(array, types.intp, lines), generate


@intrinsic
def split(typing_context, number):
    """(e, m) with number = m 2^e, 1 <= m < 2, for a positive number that is not subnormal."""

    def generate(context, builder, signature, arguments):
        width, shift = (32, 23) if number == types.float32 else (64, 52)
        kind = ir.IntType(width)
        bits = builder.bitcast(arguments[0], kind)
        bias = 2 ** (width - shift - 2) - 1
        exponent = builder.sub(builder.lshr(bits, kind(shift)), kind(bias))
        mantissa = builder.or_(builder.and_(bits, kind(2**shift - 1)), kind(bias << shift))
        parts = (
            builder.sitofp(exponent, ir.DoubleType()),
            builder.bitcast(mantissa, arguments[0].type),
        )
        return context.make_tuple(builder, signature.return_type, parts)

    return types.Tuple([types.float64, number])(number), generate
