import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { Reporting } from './reporting.service.js';

@Controller('health')
export class HealthController {
  constructor(private readonly reporting: Reporting) {}

  @Get()
  async read() {
    const stats = await this.reporting.outbox.stats().catch(() => undefined);
    if (!stats) throw new ServiceUnavailableException();
    const { states, paused, oldestOpenAt } = stats;
    return {
      status: 'ok',
      waiting: states.waiting,
      quarantined: states.quarantined,
      oldestOpenAt,
      paused: paused.map(({ reason }) => reason),
    };
  }
}
