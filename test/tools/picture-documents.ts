/** Short documents of an invented ferry company, for pictures. */
export const PICTURE_DOCUMENTS: readonly (readonly [name: string, text: string])[] = [
  [
    'Boarding.md',
    `# Boarding

## Foot passengers

Boarding ends five minutes before departure. Bicycles travel free and are pushed aboard after the cars. Dogs stay on a lead on the
open deck, and guide dogs may go anywhere.

## Cars

Cars line up in lane two, engines off. Drivers of electric cars tell the crew, because the charging point is on the port side. The
height limit is 2.10 metres in winter, when the upper deck is closed.
`,
  ],
  [
    'Refunds.md',
    `# Refunds

When a crossing is cancelled because of the weather, the ticket is refunded in full within seven days, or is valid for any crossing
of the next two weeks. Passengers choose; the refund goes to the card that the ticket was bought with.

## Delays

After a delay of sixty minutes a quarter of the price is refunded, after two hours half of it. Season tickets get a day's share of
their price. A refund is asked for within thirty days.
`,
  ],
  [
    'Weather.md',
    `# Weather

The master decides whether the ferry sails. Crossings are usually cancelled from wind force nine, or from force eight when it blows
from the south-west, where the harbour wall gives no shelter. The decision is announced an hour before departure, on the web site
and by text message.
`,
  ],
  [
    'Safety briefing.md',
    `# Safety briefing

Life jackets are under the seats and beside both doors. Children's sizes are in the yellow lockers. When the alarm sounds seven times,
passengers go to the assembly point on the rear deck, and the crew counts them.
`,
  ],
  [
    'Lost property.md',
    `# Lost property

Things that are found aboard are kept in the office at the pier for three months. Phones are kept switched off. After that they are
given to the lifeboat service.
`,
  ],
];
