#!/bin/sh
# Tests a mock gateway with curl only: the four steps, every refusal, three faults.
#   walk.sh http://127.0.0.1:4010 http://127.0.0.1:4011     the second one started with --rate 1
# Ends with 0 and "walked", or at the first wrong answer with 1 and that answer.
set -u
address=$1
limited=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
key='x-api-key: mock-api-key'
json='content-type: application/json'
steps=0

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# expect <what> <status> <text in the body> <curl's words…>: sends a request and compares the answer. 000 is a connection that broke.
expect() {
  what=$1 wanted=$2 text=$3
  shift 3
  status=$(curl --silent --max-time 10 --output "$folder/body" --dump-header "$folder/head" --write-out '%{http_code}' "$@")
  code=$?
  [ "$status" = "$wanted" ] || fail "$what: status $status instead of $wanted (curl $code): $(cat "$folder/body" 2>/dev/null)"
  grep -qF -- "$text" "$folder/body" 2>/dev/null || [ -z "$text" ] || fail "$what: no '$text' in $(cat "$folder/body")"
  steps=$((steps + 1))
  echo "ok $status $what"
}

# refused <what> <status> <text> <curl's words…>: the same, and the body is the generic error body.
refused() {
  expect "$@"
  case $2 in
    400) error='Bad Request' ;;
    401) error='Unauthorized' ;;
    404) error='Not Found' ;;
    405) error='Method Not Allowed' ;;
    409) error='Conflict' ;;
    413) error='Payload Too Large' ;;
    429) error='Too Many Requests' ;;
    422) error='Unprocessable Entity' ;;
    *) fail "$1: no name for $2" ;;
  esac
  grep -qF "\"error\":\"$error\",\"statusCode\":$2}" "$folder/body" || fail "$1: not the generic error body: $(cat "$folder/body")"
}

staging="$address/integration-gateway/external"
production="$address/production/integration-gateway/external"

user='{"user_id":"U-1","first_name":"Adaeze","last_name":"Okonkwo","resident_address":"4 Ogui Road","resident_lga":"Enugu North","resident_state":"ENUGU","is_resident":true,"nin":"99012345678","tax_id":"2034567890123"}'
payee='{"user_id":"U-1","full_name":"Adaeze Okonkwo","residence_address":"4 Ogui Road","residence_state":"ENUGU","residence_lga":"Enugu North","tax_id":"2034567890123","nin":"99012345678","residency_status":"RESIDENT"}'
place='{"latitude":6.4474,"longitude":7.5139,"source":"gps"}'

bet() { printf '{"bet_id":"%s","amount":%s,"timestamp":"1795161600","user":%s,"location":%s}' "$1" "${2:-1500}" "$user" "$place"; }
settled_bet() { printf '{"bet_id":"%s","user":%s,"win_amount":2175,"payout_amount":3675,"outcome":"WIN","ggr":-2175,"ur":0}' "$1" "$user"; }
withdrawal() { printf '{"request_id":"%s","amount":3000.5,"timestamp":"1795161600","user":%s,"location":%s,"metadata":{"method":"bank_transfer","bank":"Example Bank","account_last4":"0042"},"withdrawalId":"W-1","userId":"U-1"%s}' "$1" "$payee" "$place" "${2:-}"; }
settled_withdrawal() { withdrawal "$1" ',"status":"SUCCESS"'; }

echo '# The four steps'
expect '1 initiated bet' 200 '"message":"Bet event reported successfully"' -H "$key" -H "$json" -d "$(bet B-1)" "$staging/report-bet-event"
expect '2 settled bet' 200 '"message":"Settled bet reported successfully"' -H "$key" -H "$json" -d "$(settled_bet B-1)" "$staging/report-settled-bet-event"
expect '3 initiated withdrawal' 200 '"message":"Withdrawal event reported successfully"' -H "$key" -H "$json" -d "$(withdrawal R-1)" "$staging/report-withdrawal-event"
expect '4 settled withdrawal' 200 '"message":"Withdrawal settled successfully"' -H "$key" -H "$json" -d "$(settled_withdrawal R-1)" "$staging/settle-withdrawal"
expect 'a number that staging verifies' 200 '"success":true' -H "$key" -H "$json" -d '{"nin":"99012345678"}' "$staging/nin/verify"
expect 'any other number' 200 '"success":false' -H "$key" -H "$json" -d '{"nin":"12345678901"}' "$staging/nin/verify"
expect 'a number in production' 200 '"success":false' -H "$key" -H "$json" -d '{"nin":"99012345678"}' "$production/nin/verify"
expect 'production has its own reports' 200 '"message"' -H "$key" -H "$json" -d "$(bet B-1)" "$production/report-bet-event"

echo '# What it refuses'
refused 'an unknown path' 404 'There is no such path' -H "$key" -H "$json" -d '{}' "$staging/report-bets"
refused 'another method' 405 'Use POST' -H "$key" "$staging/report-bet-event"
refused 'no key' 401 'API key is missing' -H "$json" -d "$(bet B-2)" "$staging/report-bet-event"
refused 'a wrong key' 401 'API key is invalid' -H 'x-api-key: guess' -H "$json" -d "$(bet B-2)" "$staging/report-bet-event"
head -c 1048577 /dev/zero | tr '\0' ' ' >"$folder/large"
refused 'a body over 1 MiB' 413 'larger than 1048576 bytes' -H "$key" -H "$json" --data-binary "@$folder/large" "$staging/report-bet-event"
refused 'a body that does not say that it is JSON' 400 'content-type must be application/json' -H "$key" -d "$(bet B-2)" "$staging/report-bet-event"
refused 'a body that is not JSON' 400 'not a JSON object' -H "$key" -H "$json" -d '{"bet_id"' "$staging/report-bet-event"
refused 'a body that is not an object' 400 'not a JSON object' -H "$key" -H "$json" -d '[]' "$staging/report-bet-event"
refused 'a wrong field' 422 'amount: expected a finite number' -H "$key" -H "$json" -d "$(bet B-2 '"1500"')" "$staging/report-bet-event"
refused 'a wrong number to verify' 400 'nin: expected a string of exactly 11 digits' -H "$key" -H "$json" -d '{"nin":"123"}' "$staging/nin/verify"
refused 'settling what was not initiated' 404 'no initiated report' -H "$key" -H "$json" -d "$(settled_bet B-9)" "$staging/report-settled-bet-event"
refused 'the same data again' 409 'has already been reported' -H "$key" -H "$json" -d "$(bet B-1)" "$staging/report-bet-event"
refused 'other data under the same name' 409 'with different data' -H "$key" -H "$json" -d "$(bet B-1 9)" "$staging/report-bet-event"
expect 'a first request, with a limit of one a second' 200 '"success":true' -H "$key" -H "$json" -d '{"nin":"99012345678"}' "$limited/integration-gateway/external/nin/verify"
refused 'the next one at once' 429 'Too many requests' -H "$key" -H "$json" -d '{"nin":"99012345678"}' "$limited/integration-gateway/external/nin/verify"
grep -qi '^retry-after: 1' "$folder/head" || fail "no Retry-After in $(cat "$folder/head")"
expect 'the recorded report is unchanged' 200 '"amount":1500' "$address/__admin/reports?operation=reportBetEvent&reference=B-1&environment=staging"

echo '# Three faults'
expect 'set: recorded, then the answer is lost' 201 '"id":' -H "$json" -d '{"kind":"connection-reset","when":"after","reference":"F-1"}' "$address/__admin/faults"
expect 'the answer is lost' 000 '' -H "$key" -H "$json" -d "$(bet F-1)" "$staging/report-bet-event"
refused 'it was recorded' 409 'has already been reported' -H "$key" -H "$json" -d "$(bet F-1)" "$staging/report-bet-event"
expect 'set: too many requests' 201 '"id":' -H "$json" -d '{"kind":"status","status":429,"retryAfter":7,"reference":"F-2"}' "$address/__admin/faults"
expect 'too many requests' 429 '"statusCode":429' -H "$key" -H "$json" -d "$(bet F-2)" "$staging/report-bet-event"
grep -qi '^retry-after: 7' "$folder/head" || fail "no Retry-After in $(cat "$folder/head")"
expect 'it was not recorded' 200 '"message"' -H "$key" -H "$json" -d "$(bet F-2)" "$staging/report-bet-event"
expect 'set: JSON that does not end' 201 '"id":' -H "$json" -d '{"kind":"broken-json","when":"after","reference":"F-3"}' "$address/__admin/faults"
expect 'JSON that does not end' 200 '{"message":"Bet event reported successfully"' -H "$key" -H "$json" -d "$(bet F-3)" "$staging/report-bet-event"
grep -qF '}' "$folder/body" && fail "the JSON ends: $(cat "$folder/body")"

echo '# Its own routes'
expect 'health' 200 '"status":"ok"' "$address/__admin/health"
expect 'the requests that were refused' 200 '{"count":3}' "$address/__admin/requests/count?status=409"
expect 'a past request' 200 '"reference":"F-3"' -H "$json" -d '{"reference":"F-3","applied":true}' "$address/__admin/requests/wait"
expect 'the state' 200 '"version":1' "$address/__admin/state"
cp "$folder/body" "$folder/state"
expect 'reset' 204 '' -X POST "$address/__admin/reset"
expect 'no report is left' 200 '{"reports":[]}' "$address/__admin/reports"
expect 'the state is restored' 204 '' -X PUT -H "$json" --data-binary "@$folder/state" "$address/__admin/state"
expect 'the report is listed, masked' 200 '"reference":"R-1"' "$address/__admin/reports"
grep -qF '99012345678' "$folder/body" && fail 'personal data is shown'
expect 'with personal data on request' 200 '99012345678' "$address/__admin/reports?reveal=true"
expect 'another name for this address' 403 'Host' -H 'Host: evil.example' "$address/__admin/health"
expect 'another page' 403 'Origin' -H 'Origin: https://evil.example' "$address/__admin/reports"

echo "walked $steps"
