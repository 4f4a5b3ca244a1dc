import { BadRequestException, Body, ConflictException, Controller, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { clientIpFrom, isLocationError, isValidationError } from 'location-sdk';
import { Bets } from './bets.service.js';

@Controller('bets')
export class BetsController {
  constructor(private readonly bets: Bets) {}

  @Post()
  async place(@Body() body: { stake: number }, @Req() request: Request): Promise<{ id: string }> {
    try {
      // Name the proxies before this process, whose headers are trusted.
      return { id: await this.bets.place(body.stake, clientIpFrom(request, { trustedProxies: [] }) ?? '') };
    } catch (error) {
      if (isValidationError(error)) throw new BadRequestException({ error: error.code, issues: error.issues });
      if (isLocationError(error)) throw new ConflictException({ error: error.code });
      throw error;
    }
  }
}
