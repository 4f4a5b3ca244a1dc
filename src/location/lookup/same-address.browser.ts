/** A page asks for its own address, whatever that is. */
export const isSameAddress = () => true;
