/**
 * The words of a gateway that are shown: those of error messages, of HTTP and of the specification's field names. All
 * others are masked (`redact.ts`). None of them is a number. Leave out first names, places, streets and banks: think of
 * Will, Grace or Sunday before you add a word. A few, such as field or long, are surnames too.
 */
const WORDS = `
--validation a about above accept acceptable accepted access account accuracy action active add added address admin after again age all allow allowed already also
always am amount an and another answer answered answers any api app application apply are argument array as ask asks at attempt attempted attempts
auth authentication authorised authorization authorized available back backend bad balance bank base be bearer because been before being below bet
bets betting between biographic biometric birth blacklisted blank blocked bodies body boolean both broke broken busy but by byte bytes call called
caller calls came can can't cancel canceled cancelled cannot change changed character characters charset check checked choose city claim client
clientip clients clock close closed code codes come comes complete completed condition conditions configuration configured conflict conflicts connect
connected connection consent contact contain contains content context continue correct corrected could couldn't country create created credential
credentials currently customer data database date day days decimal decimals deep deeper default delete deleted denied deny detail details detection device did
didn't differ different differs digit digits disabled divide do document documentation does doesn't doing don't done down duplicate duplicated
duplicates during each earlier either else email empty enable enabled encoding end ended endpoint engine enough ensure entities entity entries entry
environment equal error errors event events every everything exact exactly exceed exceeded exceeds except exclusion exist existing exists expect
expected expired expires external fail failed failing fails failure false fatal fault feature fetch field fields file final find finite first fix for
forbidden forbids form format formatted found from full function gateway gave gender general get getter ggr give given gives go gone got greater had
handle handled has hasn't have having header headers held help here hold holds host hour hours how html http https id identifier identifiers if
ignored image in inactive include included includes incomplete incorrect index infinity info information initiated input instead integer intended
interface internal into invalid ip is isn't issue issues it item items its itself json keep kept key keys kilometres kind known knows large larger
last last4 later latest latitude leading least left length less letters level lga license like limit limited limits line line1 line2 list lists load
locate located location locked log logged login long longer longitude looks lookup lose loss lost lowercase maintenance make makes making malformed
many mapping match matched matches maximum means meanwhile media member members message messages metadata method metres middle milliseconds minimum
minute minutes mismatch missing mock mode moment money more most ms much multiply must mustn't name named names nan nearest need needed needs negative
nested network never new nin no nobody none nor not note nothing notice now null number numbers numeric object objects odds of off offline ok old on
once online only open operation operations operator operators option optional options or order origin other otherwise our out outcome outside over own
page parameter parameters parse parsed part partial pass passed password path paths payload payloads payment payout pending per period permission permissions
permitted phone1 place plain platform player please policy position positive possible post present prevents previous previously problem process
processed processing production profile property protocol provide provided provider proxy pseudo put query queue queued quota range rate ratelimit
reached read reason receive received recognised recognized record recorded records reference references refused region register registered
registration reject rejected related relay remove removed repeat repeated repeats replay report reported reporter reporting reports request requested
requests require required requires reset residence residency resident resource resources response restricted result results retried retry retrying
returns review right role route rules run said same save saved say says schema scheme scope sdk second seconds section secure security see seem seems
seen self send sending sense sent separate server servers service services session set settle settled settlement settling should shouldn't sign
signature since site size slip slow small so some something soon source space spaces staging stake stakes standard start started state statement status
still stop stopped storage store stored strict string strings sub submission submit submitted success successful successfully such support supported
suspended system taken tax technical temporarily temporary text than that the their them then there they thing this those though threw throttled through
ticket tickets time timed timeout timeouts times timestamp to together token told too trace track transaction transactions transfer trim true try
trying twice type types unable unauthenticated unauthorised unauthorized unavailable undefined under understood unexpected unique units unix unknown
unless unprocessable unreachable unsupported until up update updated uppercase upstream ur url us usage use used user users using utf valid validate
validated validation value values verification verified verify version very via violation void voided wager wait waiting waits wallet warning was wasn't way
we went were what when where whether which while whitelisted who whole whose why win with withdrawal withdrawals within without won't words work
working would wrong wrote x-api-key xml yes yet you your zeros zone
`;

let known: ReadonlySet<string> | undefined;

/** Whether a word, in lower case, is one of them. */
export const isShownWord = (word: string): boolean => {
  known ??= new Set(WORDS.match(/\S+/g));
  return known.has(word);
};
