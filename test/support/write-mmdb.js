/**
 * Writes databases in MaxMind's format (version 2.0): a binary tree over the bits of an address, whose leaves point
 * into a section of records, and metadata at the end. For the tests and for `bench/`; plain JavaScript, since both run
 * it.
 *
 * @typedef {{ bytes: Buffer }} Encoded
 * @typedef {string | number | bigint | boolean | Encoded | readonly unknown[] | { readonly [name: string]: unknown }}
 * Value its members are values too
 * @typedef {{ left: Branch, right: Branch }} Node
 * @typedef {Node | { record: Value } | undefined} Branch undefined if there is no record
 */

const TYPES = {
  pointer: 1,
  string: 2,
  double: 3,
  uint16: 5,
  uint32: 6,
  map: 7,
  int32: 8,
  uint64: 9,
  array: 11,
  boolean: 14,
  float: 15,
};
const SEPARATOR = Buffer.alloc(16);
const METADATA_MARKER = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);

/** The control bytes of a field: its type and size. @param {number} type @param {number} size */
function control(type, size) {
  const [short, more] =
    size < 29 ? [size, []] : size < 285 ? [29, [size - 29]] : [30, [(size - 285) >> 8, (size - 285) & 255]];
  if (size >= 65_821) throw new RangeError('this writer does not support a field of this size');
  return Buffer.from(type > 7 ? [short, type - 7, ...more] : [(type << 5) | short, ...more]);
}

/** @param {number} type @param {Buffer} bytes */
const field = (type, bytes) => Buffer.concat([control(type, bytes.length), bytes]);

/** @param {number} length @param {(bytes: Buffer) => unknown} write */
function filled(length, write) {
  const bytes = Buffer.alloc(length);
  write(bytes);
  return bytes;
}

/** A 32-bit float, as some publishers write coordinates. @param {number} value @returns {Encoded} */
export const float = (value) => ({
  bytes: field(
    TYPES.float,
    filled(4, (bytes) => bytes.writeFloatBE(value)),
  ),
});

/** @param {number} value @returns {Encoded} */
const uint16 = (value) => ({
  bytes: field(
    TYPES.uint16,
    filled(2, (bytes) => bytes.writeUInt16BE(value)),
  ),
});

/** @param {number} value */
function encodeNumber(value) {
  if (!Number.isInteger(value))
    return field(
      TYPES.double,
      filled(8, (bytes) => bytes.writeDoubleBE(value)),
    );
  if (value < 0)
    return field(
      TYPES.int32,
      filled(4, (bytes) => bytes.writeInt32BE(value)),
    );
  return field(
    TYPES.uint32,
    filled(4, (bytes) => bytes.writeUInt32BE(value)),
  );
}

/** A pointer to an offset in the same section. @param {number} offset */
const pointerTo = (offset) =>
  Buffer.concat([Buffer.from([(TYPES.pointer << 5) | 0x18]), filled(4, (bytes) => bytes.writeUInt32BE(offset))]);

/** A section of fields. A text or a record that it already contains is not written again. */
function createSection() {
  /** @type {Buffer[]} */
  const parts = [];
  /** @type {Map<string, number>} */
  const texts = new Map();
  /** @type {Map<Value, number>} */
  const records = new Map();
  let length = 0;
  /** @param {Buffer} bytes */
  const append = (bytes) => {
    parts.push(bytes);
    length += bytes.length;
  };

  /** @param {string} text */
  function writeText(text) {
    const written = texts.get(text);
    if (written !== undefined) return append(pointerTo(written));
    // A shorter text needs less space than a pointer to it.
    if (text.length > 4) texts.set(text, length);
    append(field(TYPES.string, Buffer.from(text)));
  }

  /** @param {unknown} value @returns {void} */
  function write(value) {
    if (typeof value === 'string') return writeText(value);
    if (typeof value === 'number') return append(encodeNumber(value));
    if (typeof value === 'bigint')
      return append(
        field(
          TYPES.uint64,
          filled(8, (bytes) => bytes.writeBigUInt64BE(value)),
        ),
      );
    if (typeof value === 'boolean') return append(control(TYPES.boolean, Number(value)));
    if (Array.isArray(value)) {
      append(control(TYPES.array, value.length));
      for (const one of value) write(one);
    } else if (typeof value === 'object' && value && 'bytes' in value && Buffer.isBuffer(value.bytes)) {
      append(value.bytes);
    } else if (typeof value === 'object' && value) {
      const entries = Object.entries(value);
      append(control(TYPES.map, entries.length));
      for (const [name, member] of entries) {
        writeText(name);
        write(member);
      }
    } else throw new TypeError(`a database cannot contain a ${typeof value}`);
  }

  return {
    /** Writes a record, and returns its offset. @param {Value} value */
    add(value) {
      const offset = records.get(value) ?? length;
      if (offset === length) write(value);
      records.set(value, offset);
      return offset;
    },
    bytes: () => Buffer.concat(parts),
  };
}

/** The bits of an address, 32 or 128 of them. @param {string} address */
function bitsOf(address) {
  if (!address.includes(':'))
    return address
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('');
  const [head = '', tail = ''] = address.split('::');
  const groups = (/** @type {string} */ part) => (part === '' ? [] : part.split(':'));
  const [front, back] = [groups(head), groups(tail)];
  const all = [...front, ...Array(8 - front.length - back.length).fill('0'), ...back];
  return all.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
}

/**
 * The branch with a record inserted below it.
 * @param {Branch} branch
 * @param {string} bits
 * @param {Value} record
 * @returns {Branch}
 */
function grow(branch, bits, record) {
  if (bits === '') return { record };
  const node = branch && 'left' in branch ? branch : { left: branch, right: branch };
  const side = bits[0] === '0' ? 'left' : 'right';
  node[side] = grow(node[side], bits.slice(1), record);
  return node;
}

/** @param {number} recordSize @param {number} left @param {number} right */
function encodeNode(recordSize, left, right) {
  const bytes = Buffer.alloc(recordSize / 4);
  if (recordSize === 32) {
    bytes.writeUInt32BE(left, 0);
    bytes.writeUInt32BE(right, 4);
    return bytes;
  }
  bytes.writeUIntBE(left & 0xffffff, 0, 3);
  bytes.writeUIntBE(right & 0xffffff, recordSize === 24 ? 3 : 4, 3);
  if (recordSize === 28) bytes[3] = ((left >>> 24) << 4) | (right >>> 24);
  return bytes;
}

/**
 * A database as the content of a file.
 *
 * @param {Readonly<Record<string, Value>>} networks records by network, for example `102.89.0.0/16`; a narrower one
 * precedes a wider one
 * @param {{ ipVersion?: 4 | 6, recordSize?: 24 | 28 | 32, databaseType?: string }} [options] IPv4 networks are below
 * `::/96` in a database of version 6
 */
export function writeMmdb(networks, { ipVersion = 6, recordSize = 24, databaseType = 'Test-City' } = {}) {
  /** @type {Branch} */
  let root = { left: undefined, right: undefined };
  const paths = Object.entries(networks).map(([network, record]) => {
    const [address = '', length] = network.split('/');
    const bits = bitsOf(address);
    const before = ipVersion === 6 && bits.length === 32 ? '0'.repeat(96) : '';
    return { bits: before + bits.slice(0, Number(length)), record };
  });
  for (const { bits, record } of paths.sort((a, b) => a.bits.length - b.bits.length)) root = grow(root, bits, record);

  /** @type {Node[]} */
  const nodes = [];
  const places = new Map();
  for (const pending = [root]; pending.length > 0; ) {
    const branch = pending.pop();
    if (!branch || !('left' in branch)) continue;
    places.set(branch, nodes.length);
    nodes.push(branch);
    pending.push(branch.right, branch.left);
  }
  const section = createSection();
  const targetOf = (/** @type {Branch} */ branch) => {
    if (!branch) return nodes.length;
    return 'left' in branch ? places.get(branch) : nodes.length + SEPARATOR.length + section.add(branch.record);
  };
  const tree = Buffer.concat(nodes.map(({ left, right }) => encodeNode(recordSize, targetOf(left), targetOf(right))));
  const metadata = createSection();
  metadata.add({
    binary_format_major_version: uint16(2),
    binary_format_minor_version: uint16(0),
    build_epoch: 1_795_161_600n,
    database_type: databaseType,
    description: { en: 'made by a test' },
    ip_version: uint16(ipVersion),
    languages: ['en'],
    node_count: nodes.length,
    record_size: uint16(recordSize),
  });
  return Buffer.concat([tree, SEPARATOR, section.bytes(), METADATA_MARKER, metadata.bytes()]);
}
