import { Module } from '@nestjs/common';
import { BetsController } from './bets.controller.js';
import { Bets } from './bets.service.js';
import { HealthController } from './health.controller.js';
import { Reporting } from './reporting.service.js';

@Module({ providers: [Reporting], exports: [Reporting] })
export class ReportingModule {}

@Module({ imports: [ReportingModule], controllers: [BetsController, HealthController], providers: [Bets] })
export class AppModule {}
