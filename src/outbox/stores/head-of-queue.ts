/** A due time before that of every row: the earliest time of a `Date`. */
export const HEAD_OF_THE_QUEUE = -8_640_000_000_000_000;
