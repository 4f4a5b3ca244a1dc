import { expect, it } from 'vitest';
import { isRecorded } from '../../../src/core/delivery/answer.js';
import { createClient } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { serve } from '../../../src/entries/node.js';
import { betEvent } from '../../support/factories.js';
import vectors from '../../vectors/answers.json';

const recorded = (body: unknown) => isRecorded({ status: 200, body, json: true });
const rows = (bodies: readonly unknown[]) => bodies.map((body) => [JSON.stringify(body), body] as const);

it.each(rows(vectors.doubt))('a 200 with %s leaves the report in doubt', (_, body) => {
  expect(recorded(body)).toBe(false);
});

it.each(rows(vectors.success))('a 200 with %s means recorded', (_, body) => {
  expect(recorded(body)).toBe(true);
});

/** Envelopes that services and frameworks send with status 200: one that failed, and one that did not. */
const ENVELOPES: readonly (readonly [of: string, failed: unknown, succeeded: unknown])[] = [
  [
    'Paystack',
    { status: false, message: 'Invalid key' },
    {
      status: true,
      message: 'Verification successful',
      data: { status: 'success', reference: 'T-404', amount: 50_000 },
    },
  ],
  [
    'Paystack, the transaction',
    { status: true, message: 'Verification successful', data: { status: 'failed', gateway_response: 'Declined' } },
    { status: true, message: 'Charge attempted', data: { status: 'pending' } },
  ],
  [
    'Flutterwave',
    { status: 'error', message: 'No transaction was found for this id', data: null },
    { status: 'success', message: 'Transaction fetched successfully', data: { id: 288_200_108, status: 'successful' } },
  ],
  [
    'Monnify',
    { requestSuccessful: false, responseMessage: 'Invalid request', responseCode: '99' },
    { requestSuccessful: true, responseMessage: 'success', responseCode: '0', responseBody: { paymentStatus: 'PAID' } },
  ],
  [
    'Interswitch',
    { ResponseCode: 'Z1', ResponseDescription: 'Transaction Error' },
    { ResponseCode: '00', ResponseDescription: 'Approved by Financial Institution', Amount: 500 },
  ],
  [
    'Interswitch, errors',
    { errors: [{ code: '10400', message: 'Malformed request' }], error: { code: '10400' } },
    { transactionRef: 'B-1', responseCodeGrouping: 'SUCCESSFUL' },
  ],
  [
    'Remita',
    { statuscode: '021', statusMessage: 'Transaction failed', status: 'FAILED' },
    { statuscode: '025', RRR: '290007544406', status: 'Payment Reference generated' },
  ],
  [
    'NIBSS',
    { responseCode: '91', sessionID: '000001', responseMessage: 'Beneficiary bank not available' },
    { responseCode: '00', sessionID: '000001191125', narration: 'failed bets' },
  ],
  [
    'OPay',
    { code: '02001', message: 'request params not valid', data: null },
    { code: '00000', message: 'SUCCESSFUL', data: { orderNo: '20041', status: 'INITIAL' } },
  ],
  [
    'Mono',
    { status: 'failed', message: 'NIN does not exist', timestamp: '2026-01-01', data: null },
    { status: 'successful', message: 'Data retrieved successfully', data: { verified: true } },
  ],
  [
    'VerifyMe',
    { status: 'error', code: 'ERR_NIN', message: 'Record not found' },
    { status: 'success', data: { nin: '10000000001', firstname: 'Ada' } },
  ],
  [
    'Smile ID',
    { ResultCode: '1013', ResultText: 'Invalid ID', Actions: { Verify_ID_Number: 'Not Verified' } },
    { success: true, smile_job_id: '0000056574' },
  ],
  ['Smile ID, an error', { error: 'Invalid JSON', code: '2205' }, { success: true }],
  ['Dojah', { error: 'Wrong NIN Inputted' }, { entity: { first_name: 'John', selfie_verification: { match: true } } }],
  [
    'Prembly',
    { status: false, detail: 'Record not found', response_code: '01', error_code: '01' },
    { status: true, detail: 'Verification Successful', response_code: '00', nin_data: { residence_state: 'Invalid' } },
  ],
  [
    'Youverify',
    { success: false, statusCode: 402, message: 'Insufficient fund', links: [] },
    { success: true, statusCode: 200, message: 'success', data: { status: 'found', dataValidation: false } },
  ],
  ['Seamfix', { code: 'FAILED_ID_VERIFICATION', message: 'FAILED' }, { code: '00', message: 'Operation success' }],
  [
    'Squad',
    { status: 400, success: false, message: 'merchant not found' },
    { status: 200, success: true, message: 'Success' },
  ],
  ['Kuda', { Status: false, Message: 'Invalid token' }, { Status: true, Message: 'Request successful', Data: {} }],
  ['Termii', { code: 'fail', message: 'Sender id not approved' }, { code: 'ok', message: 'Successfully Sent' }],
  ['Quickteller', { responseCode: '70013', errors: null }, { responseCode: '90000'.slice(1), errors: null }],
  [
    'M-Pesa',
    { ResultCode: 1032, ResultDesc: 'Request cancelled by user' },
    { ResponseCode: '0', ResponseDescription: 'ok' },
  ],
  [
    'Safaricom, its errors',
    { errorCode: '400.002.05', errorMessage: 'Invalid payload' },
    { errorCode: '0', errorMessage: '' },
  ],
  ['Payop', { status: 0, message: 'Order is not found' }, { data: { id: '423131', status: 1 }, status: 1 }],
  ['PayPal', { name: 'X', details: [], error: 'invalid_client' }, { id: '5O190127TN364715T', status: 'COMPLETED' }],
  [
    '.NET ProblemDetails',
    {
      type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
      title: 'One or more validation errors occurred.',
      status: 400,
    },
    { type: 'https://example.com/report', title: 'Recorded', status: 200 },
  ],
  [
    '.NET ProblemDetails with errors',
    { title: 'Bad Request', errors: { bet_id: ['missing'] } },
    { title: 'Created', errors: {} },
  ],
  [
    'ABP',
    { result: null, success: false, error: { code: 0, message: 'An internal error occurred' }, __abp: true },
    { result: {}, targetUrl: null, success: true, error: null, unAuthorizedRequest: false, __abp: true },
  ],
  ['.NET Identity', { succeeded: false, errors: [{ code: 'X' }] }, { succeeded: true, errors: [] }],
  ['.NET results', { IsSuccess: false, Error: null }, { IsSuccess: true, Error: null, Value: 'B-1' }],
  ['FluentValidation', { isValid: false, errors: [] }, { isValid: true, errors: [] }],
  [
    'Spring Boot',
    { timestamp: '2026-01-01T00:00', status: 500, error: 'Internal Server Error', path: '/x' },
    { status: 200 },
  ],
  ['Spring, its HttpStatus', { status: 'BAD_REQUEST', message: 'no' }, { status: 'CREATED', message: 'yes' }],
  ['Spring, in two levels', { response: { statusCode: 'BAD_REQUEST' } }, { response: { statusCode: 'OK' } }],
  [
    'Laravel',
    { message: 'The given data was invalid.', errors: { nin: ['The nin is invalid.'] } },
    { message: 'Saved' },
  ],
  ['Laravel, by hand', { success: false, error: 'x' }, { success: true, error: '', data: [] }],
  [
    'NestJS',
    { statusCode: 403, message: 'Forbidden resource', error: 'Forbidden' },
    { statusCode: 201, message: 'Created' },
  ],
  ['Express, by hand', { ok: false, reason: 'x' }, { ok: true, reason: null }],
  ['Boom', { statusCode: 400, error: 'Bad Request' }, { statusCode: 200, error: null }],
  [
    'FastAPI',
    { detail: [{ loc: ['body'], msg: 'field required', type: 'value_error.missing' }], errors: 1 },
    { detail: 'ok' },
  ],
  ['Django REST', { detail: 'Authentication credentials were not provided.', status: 'error' }, { detail: 'Recorded' }],
  ['Rails', { status: 'unprocessable_entity', errors: ['is taken'] }, { status: 'created', errors: [] }],
  ['Go, gin', { error: 'EOF' }, { message: 'pong' }],
  [
    'gRPC gateway',
    { code: 3, message: 'invalid argument', details: [], error: 'x' },
    { code: 0, message: '', details: [] },
  ],
  ['Google', { error: { code: 400, message: 'x', status: 'INVALID_ARGUMENT' } }, { name: 'operations/1', done: true }],
  ['JSON:API', { errors: [{ status: '422', title: 'x' }] }, { data: { type: 'reports', id: '500', attributes: {} } }],
  ['JSend, fail', { status: 'fail', data: { nin: 'required' } }, { status: 'success', data: null }],
  [
    'JSend, error',
    { status: 'error', message: 'x' },
    { status: 'success', data: { post: { id: 500, code: 500, status: 'draft' }, count: 404 } },
  ],
  [
    'JSON-RPC',
    { jsonrpc: '2.0', error: { code: -32_600, message: 'x' }, id: 1 },
    { jsonrpc: '2.0', result: 'B-1', id: 1 },
  ],
  ['GraphQL', { data: { reportBet: null }, errors: [{ message: 'x' }] }, { data: { reportBet: { id: 1 } } }],
  [
    'GraphQL, in its payload',
    { data: { reportBet: { ok: false } } },
    { data: { reportBet: { ok: true, errors: [] } } },
  ],
  ['SOAP as JSON', { Envelope: { Body: { Fault: { faultcode: 'x' } } } }, { Envelope: { Body: { done: true } } }],
  ['Salesforce', [{ success: false, errors: [{ statusCode: 'X' }] }], [{ id: '1', success: true, errors: [] }]],
  [
    'Elasticsearch, bulk',
    { took: 3, errors: true, items: [] },
    { took: 3, errors: false, items: [{ index: { status: 201 } }] },
  ],
  ['CouchDB', { error: 'conflict', reason: 'x' }, { ok: true, id: 'B-1', rev: '1-500' }],
  ['AWS API Gateway', { errorMessage: 'Task timed out', errorType: 'X' }, { statusCode: 200, body: '{"ok":1}' }],
  ['Lambda, an error in its body', { statusCode: 502, body: '' }, { statusCode: 202, body: '' }],
  ['Apigee', { fault: { faultstring: 'x', detail: { errorcode: 'y' } } }, { fault: null }],
  ['Kong', { message: 'An unexpected error occurred', request_id: '1' }, { message: 'accepted', request_id: '1' }],
  ['WSO2', { fault: { code: 900_901, message: 'Invalid Credentials' } }, { response: { code: 200 } }],
  [
    'OData',
    { 'odata.error': { code: '', message: 'x' }, error: { code: '' } },
    { '@odata.context': '$metadata', value: [] },
  ],
  ['counts', { recorded: 0, failed: 1 }, { recorded: 1, failed: 0 }],
  ['flags of errors', { hasErrors: true }, { hasErrors: false, isError: false, errorMessage: null }],
  ['flags that are texts', { is_success: 'False' }, { is_success: 'True' }],
  ['flags that are numbers', { success: 0 }, { success: 1 }],
  ['flags of what was done', { recorded: false }, { recorded: true, accepted: 'B-1' }],
  ['a text alone', 'Invalid request', 'Report accepted'],
  ['a text with a status', { status: '500 Internal Server Error' }, { status: '200 OK' }],
  ['a state in words', { result: 'NotRecorded' }, { result: 'Recorded' }],
  ['letters', { status: 'NOK' }, { status: 'OK' }],
  ['a word for no', { status: 'no' }, { status: 'noted' }],
  ['a code in one word', { status: 'NOTFOUND' }, { status: 'NOTIFIED' }],
  ['a code in parts', { status: 'not_recorded' }, { code: 'NO_ERROR' }],
  [
    'a warning',
    { message: 'It could not be saved, nothing was stored: not saved' },
    { message: 'Recorded. Do not resend.' },
  ],
  [
    'a message alone',
    { message: 'The report was not recorded' },
    { message: 'The report was recorded without errors' },
  ],
  ['a list of messages', { message: ['nin is invalid'], id: 1 }, { message: ['Recorded', 'Thank you'], id: 1 }],
  ['a list of results', { results: [{ status: 'rejected' }] }, { results: [{ status: 'recorded' }] }],
  ['a repeat', { message: 'This bet has already been reported' }, { message: 'Reported', duplicate: false }],
  ['a conflict', { message: 'A bet with this reference has different data' }, { message: 'Recorded', conflict: null }],
  ['flags of what did not happen', { acknowledged: false }, { acknowledged: true, verified: false, replayed: false }],
  ['counts by name', { failedCount: 1 }, { failed_count: 0, errorCount: 0, rejectedCount: 0 }],
  ['what was refused', { recorded: [], rejected: ['B-1'] }, { recorded: ['B-1'], rejected: [] }],
  ['negative codes', { retcode: -1 }, { retcode: 0 }],
  ['the names of a state', { state: 'FAILED' }, { state: 'Lagos' }],
  ['a status of what did not happen', { status: 'ignored' }, { status: 'noted' }],
  ['a limit', { message: 'Quota exceeded' }, { message: 'Recorded within the quota' }],
  ['Express, in short', { err: 'x' }, { err: null }],
  ['the errors of fields', { fieldErrors: { amount: ['x'] } }, { fieldErrors: {} }],
  ['a request to repeat', { message: 'Please come back later' }, { message: 'Recorded late' }],
  ['a lock', { message: 'The wallet is locked' }, { message: 'The wallet was charged' }],
  ['a field that is not there', { message: 'Missing field amount' }, { message: 'Every field is there' }],
  ['an apology', { message: 'Something went wrong' }, { message: 'Nothing else is needed' }],
  ['counts beside a flag', { success: true, failed: 2 }, { success: true, successCount: 3 }],
  ['a flag in one word', { success: true, fail: 1 }, { success: true, noErrors: true, stderr: '2 lines' }],
  ['the names of DingTalk', { errcode: 40_035, errmsg: 'invalid bet' }, { errcode: 0, errmsg: 'ok' }],
  [
    'the description of a status',
    { statusDescription: 'Declined' },
    { statusDescription: 'Approved, reference B-104' },
  ],
  ['a word within a word', { message: 'Missing bet_id' }, { message: 'Submission received, for Casino' }],
  ['the second of a list', { results: [{ status: 'ok' }, { status: 'failed' }] }, { results: [{ status: 'ok' }, {}] }],
  ['the second message', { message: ['Received', 'Validation failed'] }, { message: ['Received', 'Validated'] }],
  [
    'what an error holds',
    { success: true, errorDetails: { field: 'amount' } },
    { success: true, errorDetails: {}, retryable: false },
  ],
  [
    'the texts of an error',
    { success: true, errorMessages: ['amount'] },
    { success: true, errorMessages: [], messageId: 'skip-104' },
  ],
  ['a result as a number', { resultCode: 51 }, { resultCode: 200 }],
  [
    'a part named response',
    { id: 1, response: { code: 500 } },
    { id: 1, response: { code: 200, unprocessed: false, processedBefore: false } },
  ],
  ['nothing done, as a number', { message: 'ok', recorded: 0 }, { message: 'ok', recorded: 1, code: 0 }],
  ['a code with its letter', { code: 'E001' }, { code: 'E000', result: 'e1b-71' }],
  ['data that is a flag', { message: 'done', data: false }, { message: 'done', data: true }],
  ['PayPal, by name and value', { ACK: 'Failure', VERSION: '124' }, { ACK: 'Success', VERSION: '124' }],
  ['NACK', { ack: 'NACK' }, { ack: 'ACK' }],
  ['NAK', { ack: 'NAK' }, { ack: 'AK' }],
  ['a flag in a letter', { saved: 'N' }, { saved: 'Y' }],
  ['a flag as a switch', { saved: 'f' }, { saved: 'on', undelivered: false }],
  ['a status in a letter', { status: 'F' }, { status: 'S' }],
  ['a flag as a word', { recorded: 'no', id: 1 }, { recorded: 'now', id: 1 }],
  [
    'the status of a bet',
    { betStatus: 'REJECTED' },
    { betStatus: 'ACCEPTED', betStatusColor: 'error', residency_status: 'UNKNOWN' },
  ],
  ['a status with underscores', { txn_status: 'failed' }, { txn_status: 'settled' }],
  ['a verdict', { verdict: 'REJECT' }, { verdict: 'PASS', verdictBy: 'rejected', indecision: 'DECLINE' }],
  ['a decision', { decision: 'DECLINE' }, { decision: 'APPROVE' }],
  ['a disposition', { disposition: 'rejected' }, { disposition: 'taken' }],
  ['an outcome', { outcome: 'FAILURE' }, { outcome: 'VOID' }],
  ['an outcome that is rejected', { outcome: 'rejected' }, { outcome: 'CANCELLED' }],
  ['an outcome with an error', { outcome: 'ERROR' }, { outcome: 'NERROR' }],
  ['a header', { header: { responseCode: '99' }, body: {} }, { header: { responseCode: '00' }, body: {} }],
  [
    'the attributes of JSON:API',
    { data: { id: '1', attributes: { status: 'failed' } } },
    { data: { id: '1', attributes: { status: 'recorded' } } },
  ],
  ['a part with the status', { statusInfo: { code: 'E01' }, data: null }, { statusInfo: { code: 'E00' }, data: null }],
  ['what was refused, in a list', { failedItems: [{ index: 0 }] }, { failedItems: [] }],
  ['what was not processed', { UnprocessedItems: [{}] }, { UnprocessedItems: [] }],
  ['what was refused, counted', { FailedRecordCount: 1 }, { FailedRecordCount: 0 }],
  ['the reports that failed', { failedReports: ['B-1'] }, { failedReports: [] }],
  ['the number of successes', { successCount: 0 }, { successCount: 1 }],
  ['what was processed, counted', { processedCount: 0 }, { processedCount: 1, success_counter: 0 }],
  ['an error as a number', { errno: 1 }, { errno: 0 }],
  ['a code in short', { rspCode: '05' }, { rspCode: '00' }],
  ['a remark', { remarks: 'Report could not be saved' }, { remarks: 'Report saved' }],
  ['a note', { note: 'not saved' }, { note: 'noted', notary: 'not saved' }],
  ['an information', { info: 'Report rejected' }, { info: 'Report taken' }],
  ['a licence', { message: 'Licence inactive' }, { message: 'Licence active' }],
  ['a session', { message: 'Session has ended' }, { message: 'The session was appended' }],
  ['a session to begin', { message: 'Please log in' }, { message: 'The catalog in full, log integrity kept' }],
  ['a session to begin, in a word', { message: 'login' }, { message: 'Logged' }],
  ['a limit that is reached', { message: 'Rate limit reached' }, { message: 'Recorded within the limit' }],
  ['a limit that was reached', { message: 'The limit was reached' }, { message: 'Within its limit' }],
  ['a quota that is reached', { message: 'Quota was reached' }, { message: 'The quota is fine' }],
  ['a right', { message: 'You do not have access' }, { message: 'You have access' }],
  ['a right that is not there', { message: 'No access' }, { message: 'Now accessed' }],
  ['a restriction', { message: 'Access restricted' }, { message: 'Access granted' }],
  ['a record that is not there', { message: 'No record created' }, { message: 'One record created' }],
  ['an operator that is not there', { message: 'No such operator' }, { message: 'Operator known' }],
  ['a service', { message: 'Service temporarily down' }, { message: 'Service is up' }],
  ['nothing', { message: 'Nothing was kept' }, { message: 'Nothing else is needed' }],
];

it.each(ENVELOPES)('%s: what failed leaves the doubt, what succeeded is recorded', (_, failed, succeeded) => {
  expect({ failed: recorded(failed), succeeded: recorded(succeeded) }).toEqual({ failed: false, succeeded: true });
});

it.each([
  ...['badRequest', 'It cannot be taken', 'notFound', 'NOT_FOUND', 'The report was not allowed', 'not authorised'],
  ...['It was not received', 'not reported', 'not saved', 'not stored', 'not submitted', 'The entry was rolled back'],
  ...['timeout', 'The upstream timed out', 'KO', 'no'],
])('%s: the report is in doubt', (message) => {
  expect(recorded({ message })).toBe(false);
});

it.each<readonly [string, unknown]>([
  ['the names of the operator', { amount: 404, bet_id: 'B-500', reference: 'failed', currency: 566, bankCode: '58' }],
  [
    'what was sent in a part of its own',
    { message: 'ok', bet: { metadata: { status: 'error', success: false } }, id: 1 },
  ],
  ['deeper than any envelope', JSON.parse(`${'{"data":'.repeat(9)}false${'}'.repeat(9)}`)],
  ['a member of every object', { message: 'ok', toString: 1, valueOf: 'error' }],
])('%s say nothing', (_, body) => {
  expect(recorded(body)).toBe(true);
});

it('over HTTP, a 200 that says "already reported" is read by its words, as a 409 is', async (test) => {
  const gateway = createMockGateway({ requireInitiated: false, duplicateStatus: 200 });
  const server = await serve(gateway);
  test.onTestFinished(() => server.close());
  const client = createClient({ ...server.clientOptions(), retry: { limit: 1, baseMs: 0 } });
  // With its time: the client would take another one a second later.
  const bet = { ...betEvent(), timestamp: '1795161600' };
  await client.reportBetEvent(bet);
  const failure = (amount: number) => client.reportBetEvent({ ...bet, amount }).catch((error: unknown) => error);
  expect(await failure(bet.amount)).toMatchObject({ code: 'duplicate', conflict: false, outcome: 'rejected' });
  expect(await failure(bet.amount + 1)).toMatchObject({ code: 'duplicate', conflict: true, outcome: 'rejected' });
  gateway.faults.add({ kind: 'connection-reset', when: 'after', times: 1 });
  expect(await client.reportBetEvent(betEvent({ bet_id: 'B-2' }))).toMatchObject({
    outcome: 'already-recorded',
    attempts: 2,
  });
});

it('over HTTP, a report that a 200 calls failed is sent again, and its duplicate counts', async (test) => {
  const gateway = createMockGateway({ requireInitiated: false });
  gateway.faults.add({
    kind: 'status',
    status: 200,
    when: 'after',
    times: 1,
    body: { success: 'false', message: 'x' },
  });
  const server = await serve(gateway);
  test.onTestFinished(() => server.close());
  const client = createClient({ ...server.clientOptions(), retry: { limit: 1, baseMs: 0 } });
  expect(await client.reportBetEvent(betEvent())).toMatchObject({ outcome: 'already-recorded', attempts: 2 });
});
