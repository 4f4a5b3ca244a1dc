import { absentService } from '../absent-service.js';

export const geojs = () => absentService('geojs');
