import { absentService } from '../lookup/absent-service.js';

export const ipapiCo = () => absentService('ipapi.co');
