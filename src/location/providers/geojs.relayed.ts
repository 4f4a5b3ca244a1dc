import { absentService } from '../lookup/absent-service.js';

export const geojs = () => absentService('geojs');
