/**
 * The words of a gateway that are shown: those of error messages, of HTTP and of the specification's field names. All
 * others are masked (`redact.ts`). None of them is a number. Leave out first names, places, streets and banks: think of
 * Will, Grace or Sunday before you add a word. A few, such as field or long, are surnames too.
 */
const WORDS = `
--validation about accept acceptable accepted access action active added admin again age already also always am another answer answered answers api
app application apply ask asks attempt attempted attempts auth authentication authorised authorization authorized available back backend bad balance
base bearer because being bets betting biographic biometric birth blacklisted blocked bodies broke broken busy call called caller calls came cancel
canceled cancelled change changed charset check checked choose claim client clientip clients clock close closed code codes come comes complete
completed conditions configuration configured conflict conflicts connect connected connection consent contact content context continue corrected could
couldn't create created credential credentials currently database deep deeper delete deleted denied deny detail details detection device differ
differs disabled divide document documentation doing done down duplicates during earlier enable enabled encoding ended endpoint engine enough ensure
entities entity environment events every everything exclusion expired expires external failing failure fatal fault feature fetch file final find first
fix forbids function gateway gave gender general get getter give gives go gone handle handled header headers held help here hold holds host hour hours how
html http https ignored image inactive incomplete index infinity info information initiated intended interface internal into ip issue issues itself
keep kept kind knows kobo large later latest left level license limited limits line line1 line2 lists load locate located locked log logged
login looks lookup lose loss lost maintenance make makes making many mapping means meanwhile media member members messages metres middle milliseconds
minute minutes mismatch mock mode moment money ms much multiply naira nearest need needed needs nested network never new nobody note notice now objects odds
off offline ok old once online open operation operations operator operators order origin otherwise our own page parameters parse parsed part partial
pass passed password paths payloads payment pending per period permission permissions phone1 place plain platform policy position possible post
prevents previous previously problem process processed processing production profile protocol provider proxy pseudo put query queue queued quota rate
ratelimit reached read reason receive record recorded records references refused register registered registration reject related relay remove removed
repeat repeated repeats replay reported reporter reporting reports requested requests reset resource resources response restricted result results
retried retry retrying returns review right role route rules run said save saved say says scheme scope sdk second seconds section secure security see
seem seems seen self send sending sense sent separate server servers service services session set settle settlement settling sign signature since site
slip slow so something soon staging stake stakes standard started statement still stop stopped storage store stored strict sub submission submit
submitted success successful successfully such support supported system taken technical temporarily temporary their them they thing though
threw throttled through ticket tickets timed timeout timeouts times together token told trace track transaction transactions transfer trim try trying
twice unable unauthenticated unauthorised unauthorized unavailable under understood units unprocessable unreachable up update updated upstream us
usage use used users using utf validated verification verified verify version very via violation void voided wager wait waiting waits wallet warning
way we went what while whitelisted who whose why withdrawals won't words work working would wrote x-api-key xml yes yet zone
`;

/**
 * The words of fields and of the rules on them. A validator of the gateway uses them whatever was sent, so that they are
 * shown beside a value that only contains them: "state" is shown after Cross River State was sent. Leave out words that
 * name something together with another word of rules: think of First Bank.
 */
const RULES = `
a above account accuracy add additional address after all allow allowance allowed alphanumeric amount an and any are argument array as at attribute
bank be been before below bet between big blank body boolean both bounds but by byte bytes can can't cannot case character characters checksum city condition
conform conforming constraint constraints contain containing contains convert correct country customer data date datetime day days decimal decimals
default did didn't different digit digits divisible do does doesn't don't duplicate duplicated each either else email empty end ends entered entries
entry enum equal equals error errors event exact exactly exceed exceeded exceeds except exclusive exist existing exists expect expected expression
fail failed fails false fewer field fields finite following for forbidden form format formatted found from full ggr given got greater had has
hasn't have having id identifier identifiers if in include included includes inclusive incorrect input instance instead int integer invalid is isn't
iso it item items its json key keys known larger last last4 latitude leading least length less letters licence lga like limit list literal location long
longer longitude lowercase malformed match matched matches matching maximum message met metadata method minimum minus missing more most multiple must
mustn't name named names nan negative neither newer nin no non none nor not nothing null number numbers numeric object of older on only option optional options or
other out outcome outside over parameter path pattern payload payout permitted places player please positive present prohibited properties property
provide provided range received recognised recognized reference regex region regular rejected report request require required requires residence
residency resident rule safe same schema selected settled shorter should shouldn't size small some source space spaces specified start starts state
status string strings suspended tax text than that the then there these this those time timestamp to too total trailing true type types undefined unexpected
unique unix unknown unless unrecognized unsupported until uppercase ur url user uuid valid validate validation value values was wasn't were when where
whether which whitespace whole win with withdrawal within without wrong you your zeros
`;

/** Words that are shown only together: alone they may be a name, a part of an address, or a digit that is spelled out. */
export const PHRASES = `
local government area
local government
identification number
national identification number
national identity number
gross gaming revenue
residential address
alpha numeric
well formed
iso 8601
be one of
expected one of
to one of
not one of
least one of
with one of
have one of
in one of
may be
may not be
may only
the past
a past date
required peers
one schema
a future date
the future
valid choice
`
  .trim()
  .split('\n')
  .map((phrase) => phrase.split(' '));

/**
 * The names of the specification's fields, with the object around them, as the words of a path end. Only those of two
 * words or more: a single one, such as "state", may be a value.
 */
const FIELD_PATH =
  /(?:^|_)((?:bet|request|withdrawal)_id|(?:win|payout)_amount|user_nin|(?:user_)?(?:(?:user|tax)_id|is_resident|(?:first|last|full)_name|residen(?:t|ce)_(?:address|lga|state)|residency_status)|location_(?:latitude|longitude|city|region|country|accuracy|source)|(?:metadata_)?account_last4|metadata_(?:method|bank))$/;

/** The name or path of a field at the end of these words, with a line between them. */
export const fieldPathIn = (words: readonly string[]): string | undefined => FIELD_PATH.exec(words.join('_'))?.[1];

const listOf = (words: string): ReadonlySet<string> => new Set(words.match(/\S+/g));

let rules: ReadonlySet<string> | undefined;
let others: ReadonlySet<string> | undefined;

/** Whether a word, in lower case, is one of fields and their rules. */
export const isRuleWord = (word: string): boolean => {
  rules ??= listOf(RULES);
  return rules.has(word);
};

/** Whether a word, in lower case, is shown. */
export const isShownWord = (word: string): boolean => {
  others ??= listOf(WORDS);
  return isRuleWord(word) || others.has(word);
};
