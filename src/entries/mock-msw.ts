/** The mock gateway as handlers of msw: `location-sdk/mock/msw`. @module */
export { mockGatewayHandlers } from '../testing/mock/msw.js';
