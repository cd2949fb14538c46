/**
 * Questions with a passage that answers each, about things far from each other. An embedder is calibrated by the similarity of
 * the pairs, and of each question with the passages of the others.
 */
export const CALIBRATION_PAIRS: readonly (readonly [question: string, passage: string])[] = [
  [
    'how do otters sleep',
    'Sea otters float on their backs at night and wrap themselves in kelp, so that they do not drift away.',
  ],
  [
    'when does the harbour freeze',
    'Ice closes the port from the middle of January until the first warm days of March.',
  ],
  [
    'how long should bread dough rise',
    'Leave the dough in a warm place for about an hour, until its volume has doubled.',
  ],
  [
    'reset a forgotten password',
    'Choose “Forgot password” on the sign-in page. We send you a link, which is valid for one hour.',
  ],
  [
    'what causes inflation',
    'Prices rise when the supply of money grows faster than the production of goods and services.',
  ],
  ['parental leave policy', 'Employees may take up to fourteen months of paid leave after the birth of a child.'],
  [
    'how does a heat pump work',
    'A refrigerant takes up heat outdoors, is compressed, and gives off the heat inside the house.',
  ],
  ['side effects of aspirin', 'Acetylsalicylic acid can irritate the stomach and makes bleeding more likely.'],
  [
    'pressure distribution on a thin wing',
    'The lift of a slender airfoil follows from the pressures on its upper and lower surface.',
  ],
  [
    'sort a large file that does not fit in memory',
    'External merge sort writes sorted runs to disk and then merges them in one pass.',
  ],
  [
    'who painted the ceiling of the sistine chapel',
    'Michelangelo worked on the frescoes of the chapel in Rome from 1508 to 1512.',
  ],
  [
    'cancel a subscription',
    'You can end your plan at any time in the billing settings; it then runs until the end of the month.',
  ],
  ['distance from the earth to the moon', 'On average, our satellite is 384,400 kilometres away.'],
  ['how to remove red wine stains', 'Blot the spot at once, cover it with salt, and rinse it with cold water.'],
  [
    'rules of offside in football',
    'A player may not be nearer to the goal line of the opponents than the ball and the second last defender.',
  ],
  [
    'liability of the tenant for damage',
    'The lessee pays for harm to the flat that goes beyond ordinary wear and tear.',
  ],
];
