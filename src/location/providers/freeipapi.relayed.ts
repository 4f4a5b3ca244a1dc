import { absentService } from '../absent-service.js';

export const freeipapi = () => absentService('freeipapi');
