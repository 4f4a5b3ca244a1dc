import { Body, Controller, HttpCode, HttpException, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { clientIpFrom, isReportingError, playerMessage } from 'location-sdk';
import { Bets, type Placed, type Sent } from './bets.service.js';

const STATUS: Partial<Record<string, number>> = { validation: 400, location: 409 };

@Controller('bets')
export class BetsController {
  constructor(private readonly bets: Bets) {}

  @Post()
  @HttpCode(200)
  async place(@Body() body: Sent | undefined, @Req() request: Request): Promise<Placed> {
    if (typeof body?.key !== 'string' || !(body.stake > 0))
      throw new HttpException({ error: 'validation', message: playerMessage('entries').text }, 400);
    try {
      // Name the proxies before this process, whose headers are trusted.
      return await this.bets.place(body, clientIpFrom(request, { trustedProxies: [] }));
    } catch (error) {
      console.error(error instanceof Error ? error.message : 'a request failed');
      const code = isReportingError(error) ? error.code : 'unavailable';
      // The page shows `message`.
      const message = playerMessage(isReportingError(error) ? error : 'in-doubt').text;
      throw new HttpException({ error: code, message }, STATUS[code] ?? 503);
    }
  }
}
