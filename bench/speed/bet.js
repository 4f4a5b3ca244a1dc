let bets = 0;

/** A new settled bet of typical size. @returns {import('../../dist/index.js').SettledBet} */
export const nextBet = () => {
  bets += 1;
  return {
    bet_id: `NG-2026-11-20-${String(bets).padStart(9, '0')}`,
    user: {
      user_id: 'U-88412',
      first_name: 'Adaeze',
      last_name: 'Okonkwo',
      resident_address: '4 Ogui Road',
      resident_lga: 'Enugu North',
      resident_state: 'ENUGU',
      is_resident: true,
      nin: '99012345678',
      tax_id: '2034567890123',
    },
    win_amount: 2_175,
    payout_amount: 3_675,
    outcome: 'WIN',
    ggr: -2_175,
    ur: 0,
  };
};
