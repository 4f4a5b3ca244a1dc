/** In place of a result: the reason why there is none, in words. */
export interface Refused {
  readonly why: string;
}
