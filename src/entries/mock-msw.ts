/** The mock gateway as handlers of msw: `location-sdk/mock/msw`. @module */
export { type MockGatewayAddresses, type MswHttp, mockGatewayHandlers } from '../mock/msw.js';
