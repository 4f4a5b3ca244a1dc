// The players: invented.

export const betUser = {
  user_id: 'U-1',
  first_name: 'Adaeze',
  last_name: 'Okonkwo',
  resident_address: '4 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
  nin: '99012345678',
  tax_id: 'TX-1',
};

export const withdrawalUser = {
  user_id: 'U-1',
  full_name: 'Adaeze Okonkwo',
  residence_address: '4 Ogui Road',
  residence_state: 'ENUGU',
  residence_lga: 'Enugu North',
  tax_id: 'TX-1',
  nin: '99012345678',
  residency_status: 'RESIDENT',
};
