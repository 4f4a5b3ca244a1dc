import { absentService } from '../absent-service.js';

export const ipapiCo = () => absentService('ipapi.co');
