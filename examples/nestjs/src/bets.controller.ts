import { BadRequestException, Body, ConflictException, Controller, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { clientIpFrom, isReportingError } from 'location-sdk';
import { Bets } from './bets.service.js';

@Controller('bets')
export class BetsController {
  constructor(private readonly bets: Bets) {}

  @Post()
  async place(@Body() body: { stake: number }, @Req() request: Request): Promise<{ id: string }> {
    try {
      // Name the proxies before this process, whose headers are trusted.
      return { id: await this.bets.place(body.stake, clientIpFrom(request, { trustedProxies: [] })) };
    } catch (error) {
      if (!isReportingError(error)) throw error;
      if (error.code === 'validation') throw new BadRequestException({ error: error.code, issues: error.issues });
      if (error.code === 'location') throw new ConflictException({ error: error.code });
      throw error;
    }
  }
}
