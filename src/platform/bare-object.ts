const EMPTY: object = Object.freeze(Object.create(null));

/** An object that inherits nothing, since a library may add to `Object.prototype`. An object whose own prototype is null is slower. */
export const bareObject = (): Record<string, unknown> => Object.create(EMPTY);
