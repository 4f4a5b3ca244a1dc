const MOST_OF_A_GENERATION = 4_096;

/** The cache of decoded records for a reader of `mmdb-lib`: decoding a record takes far longer than finding it. */
export interface RecordCache {
  get(offset: string | number): unknown;
  set(offset: string | number, record: unknown): void;
}

/**
 * A cache that drops unused entries. It has two generations: when the younger is full, the older is dropped. It holds
 * at most 8,192 records and parts of records.
 */
export function createRecordCache(): RecordCache {
  let young = new Map<string | number, unknown>();
  let old = new Map<string | number, unknown>();
  const set = (offset: string | number, record: unknown) => {
    if (young.size >= MOST_OF_A_GENERATION) {
      old = young;
      young = new Map();
    }
    young.set(offset, record);
  };
  return {
    get(offset) {
      const record = young.get(offset);
      if (record !== undefined) return record;
      const older = old.get(offset);
      if (older !== undefined) set(offset, older);
      return older;
    },
    set,
  };
}
