import { absentService } from '../lookup/absent-service.js';

export const freeipapi = () => absentService('freeipapi');
