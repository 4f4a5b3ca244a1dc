/** The mock gateway as handlers of msw: `location-sdk/mock/msw`. @module */
export { mockGatewayHandlers } from '../mock/msw.js';
