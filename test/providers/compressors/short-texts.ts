/** A short text with a question in it, or with a query; `answer` must be in the result. */
export type ShortText = { text: string; query?: string; ratio: number; answer: string };

/** Written before the code was changed for short texts, and not looked at while it was. */
export const HELD_BACK: readonly ShortText[] = [
  {
    text: 'Our shop is in Mill Lane. We are open from nine to six. On Mondays we are closed. Dogs are welcome. Which day is the shop closed?',
    ratio: 0.4,
    answer: 'On Mondays we are closed.',
  },
  {
    text: 'Dear Ms Hale,\n\nthank you for your order. The parcel was sent on Tuesday. It weighs four kilograms. You can follow it with the number ZX-4471.\n\nKind regards\nTom\n\nQuestion: What is the tracking number?',
    ratio: 0.5,
    answer: 'ZX-4471',
  },
  {
    text: '# Setup\n\nInstall Node 24 first. Then run `npm ci`.\n\n# Running\n\nStart the server with `npm start`. It listens on port 8080.\n\n# Tests\n\nRun `npm test`.\n\nOn which port does the server listen?',
    ratio: 0.5,
    answer: 'port 8080',
  },
  {
    text: 'Marie Curie was born in Warsaw. She moved to Paris in 1891. She won two Nobel Prizes. Her daughter Irène also won one. How many Nobel Prizes did Marie Curie win?',
    ratio: 0.45,
    answer: 'two Nobel Prizes',
  },
  {
    text: 'The meeting was short. Anna will write the minutes. Ben checks the budget until Friday. The next meeting is on 4 May. Lunch was late.',
    query: 'Who checks the budget?',
    ratio: 0.3,
    answer: 'Ben checks the budget',
  },
  {
    text: 'function total(items) {\n  let sum = 0;\n  for (const item of items) sum += item.price;\n  return sum;\n}\n\nfunction tax(amount) {\n  return amount * 0.19;\n}\n\nWhat rate does the function tax use?',
    ratio: 0.5,
    answer: 'amount * 0.19',
  },
  {
    text: 'The old bridge was closed in spring. Engineers had found cracks in two pillars. A new bridge will cost nine million euros. The mayor hopes for money from the state. Why was the bridge closed?',
    ratio: 0.5,
    answer: 'cracks in two pillars',
  },
  {
    text: 'Die Bibliothek hat am Samstag bis 14 Uhr geöffnet. Sonntags ist sie geschlossen. Bücher kann man vier Wochen behalten. Wie lange kann man Bücher behalten?',
    ratio: 0.5,
    answer: 'vier Wochen',
  },
  {
    text: 'Le train pour Lyon part à huit heures. Le café de la gare ouvre à sept heures. Les billets coûtent vingt euros. Combien coûtent les billets ?',
    ratio: 0.5,
    answer: 'vingt euros',
  },
  {
    text: 'User: Hello, I need help.\nAssistant: Of course. What happened?\nUser: My card was stolen in Rome.\nAssistant: I am sorry. I have blocked it. A new one arrives within five days.\nUser: How long does the new card take?',
    ratio: 0.5,
    answer: 'within five days',
  },
  {
    text: 'What is the boiling point of ethanol? Ethanol is a colourless liquid. It boils at 78 degrees Celsius. It freezes at minus 114 degrees. It burns with a blue flame.',
    ratio: 0.5,
    answer: 'It boils at 78 degrees',
  },
  {
    text: '| city | country | population |\n|---|---|---|\n| Oslo | Norway | 709,000 |\n| Bergen | Norway | 291,000 |\n| Malmö | Sweden | 351,000 |\n| Aarhus | Denmark | 285,000 |',
    query: 'What is the population of Bergen?',
    ratio: 0.4,
    answer: '| Bergen | Norway | 291,000 |',
  },
  {
    text: '- Breakfast: 7 to 10\n- Pool: 8 to 20\n- Sauna: 16 to 22\n- Bar: 18 to 24\n- Reception: day and night\n\nWhen is the sauna open?',
    ratio: 0.45,
    answer: 'Sauna: 16 to 22',
  },
  {
    text: 'Whales are mammals. Blue whales eat krill. An adult blue whale eats up to four tonnes a day. Sperm whales dive for squid. Their dives last an hour.',
    query: 'How much does a blue whale eat?',
    ratio: 0.4,
    answer: 'four tonnes a day',
  },
  {
    text: 'Mix the flour with the sugar. Add three eggs. Bake the cake for forty minutes. Let it cool before you cut it. How long must the cake bake?',
    ratio: 0.4,
    answer: 'forty minutes',
  },
  {
    text: 'ERROR 10:02 connection refused by db-2\nINFO 10:03 retry in 5 s\nINFO 10:04 connected to db-1\nWARN 10:06 slow query 3,200 ms\nINFO 10:09 backup done\n\nWhich host refused the connection?',
    ratio: 0.5,
    answer: 'connection refused by db-2',
  },
  {
    text: 'The novel was published in 1925. Its author lived in Prague. He worked for an insurance company. Critics ignored the book at first. Where did the author live?',
    ratio: 0.45,
    answer: 'lived in Prague',
  },
  {
    text: 'Payment is due within 30 days. Late payments are charged with 2 % a month. Goods remain our property until they are paid. The court is in Leeds.',
    query: 'What happens if I pay late?',
    ratio: 0.4,
    answer: 'Late payments are charged',
  },
  {
    text: '## Refunds\n\nWrite to help@example.com within two weeks. We answer in a day.\n\n## Shipping\n\nParcels leave every evening. Abroad they take a week.\n\n## Jobs\n\nWe have none.\n\nHow do I get a refund?',
    ratio: 0.5,
    answer: 'help@example.com',
  },
  {
    text: 'El museo abre a las diez. La entrada es gratuita los domingos. Los perros no pueden entrar. ¿Qué día es gratuita la entrada?',
    ratio: 0.5,
    answer: 'gratuita los domingos',
  },
  {
    text: 'Sensor A measures heat. Sensor B measures pressure. Sensor C measures sound. Each sends a value every second. A value is kept for a year. What does sensor B measure?',
    ratio: 0.4,
    answer: 'Sensor B measures pressure.',
  },
  {
    text: '船は正午に出ます。パンはそこで売っています。港は古いです。灯台は白いです。船はいつ出ますか？',
    ratio: 0.6,
    answer: '船は正午に出ます。',
  },
];

/** The cases that were looked at. */
export const LOOKED_AT: readonly ShortText[] = [
  {
    text: 'The harbour is old. The ferry leaves at noon. Bread is sold there. When does the ferry leave?',
    ratio: 0.4,
    answer: 'The ferry leaves at noon.',
  },
  {
    text: 'The harbour is old. The ferry leaves at noon. Bread is sold there. When does the ferry leave?',
    ratio: 0.5,
    answer: 'The ferry leaves at noon.',
  },
  {
    text: 'The harbour is old. The ferry leaves at noon. Bread is sold there. When does the ferry leave?',
    ratio: 0.3,
    answer: 'The ferry leaves at noon.',
  },
  {
    text: 'The castle stands on a hill. It was built by Count Robert in 1210. A fire destroyed the roof in 1688. Today it is a hotel. Who built the castle?',
    ratio: 0.4,
    answer: 'It was built by Count Robert',
  },
  {
    text: 'Question: What is the capital of Peru?\n\nPeru lies on the Pacific. Its capital is Lima. Potatoes come from there. The Inca ruled it before the Spanish came.',
    ratio: 0.5,
    answer: 'Its capital is Lima.',
  },
  {
    text: 'My name is Olga. I am a nurse in Riga. I have two sons and a cat. The cat is called Felix. In winter we go skiing.',
    query: "What is the cat's name?",
    ratio: 0.3,
    answer: 'The cat is called Felix.',
  },
  {
    text: 'We left at dawn. The road was icy. Near Bern the car broke down. A farmer pulled it to his barn. We reached Milan two days late. Why were you late?',
    ratio: 0.5,
    answer: 'Near Bern the car broke down.',
  },
  {
    text: '# Password\n\nIt needs twelve characters. Change it every year.\n\n# Backup\n\nCopies are made at night. They are kept for 90 days.\n\n# Contact\n\nCall 555-0199.\n\nHow long are backups kept?',
    ratio: 0.45,
    answer: 'kept for 90 days',
  },
  {
    text: 'export const RETRIES = 3;\nexport const TIMEOUT_MS = 5000;\nexport const HOST = "localhost";\nexport const PORT = 5432;\nexport const USER = "app";\n\nWhat is the timeout?',
    ratio: 0.4,
    answer: 'TIMEOUT_MS = 5000',
  },
  {
    text: 'def area(radius):\n    return 3.14159 * radius ** 2\n\ndef volume(radius, height):\n    return area(radius) * height\n\ndef weight(volume, density):\n    return volume * density\n\nHow is the weight computed?',
    ratio: 0.5,
    answer: 'return volume * density',
  },
  {
    text: 'Tickets cost 12 euros. Children pay half. Dogs travel free of charge. Bicycles need a ticket of their own. The driver sells tickets too. How much do children pay?',
    ratio: 0.35,
    answer: 'Children pay half.',
  },
  {
    text: 'Der Zug nach Ulm fährt um neun Uhr ab. Im Zug gibt es keinen Speisewagen. Fahrräder kosten fünf Euro. Was kosten Fahrräder?',
    ratio: 0.5,
    answer: 'Fahrräder kosten fünf Euro.',
  },
  {
    text: 'Поезд отправляется в девять. Билет стоит сто рублей. Буфет закрыт. Сколько стоит билет?',
    ratio: 0.5,
    answer: 'Билет стоит сто рублей.',
  },
  {
    text: 'Project status\n\nDesign: done\nBackend: in progress, owner Li\nFrontend: waiting for design review, owner Sam\nDocs: not started\n\nWho owns the frontend?',
    ratio: 0.5,
    answer: 'owner Sam',
  },
  {
    text: 'Bees live in hives. A hive has one queen. She lays up to 2,000 eggs a day. Workers feed the larvae. Drones do not work. How many eggs does the queen lay?',
    ratio: 0.45,
    answer: '2,000 eggs a day',
  },
  {
    text: 'Please read the following and answer. The Nile is 6,650 km long. The Amazon is 6,400 km long. The Danube is 2,850 km long. The Rhine is 1,230 km long. Which river is 2,850 km long?',
    ratio: 0.4,
    answer: 'The Danube is 2,850 km long.',
  },
  {
    text: 'User: When do you open?\nAssistant: At eight.\nUser: And do you sell maps?\nAssistant: Yes, maps cost six pounds.\nUser: Thanks! What did you say maps cost?',
    ratio: 0.5,
    answer: 'maps cost six pounds',
  },
  {
    text: 'The patient, 54, complains of chest pain. Blood pressure is 150 over 95. He takes aspirin. He is allergic to penicillin. He stopped smoking in 2019. His brother had a stroke.',
    query: 'Does the patient have allergies?',
    ratio: 0.3,
    answer: 'allergic to penicillin',
  },
  {
    text: 'Step 1: Unplug the machine.\nStep 2: Open the lid.\nStep 3: Remove the filter.\nStep 4: Rinse the filter under warm water.\nStep 5: Dry it for a day.\n\nHow do I clean the filter?',
    ratio: 0.5,
    answer: 'Rinse the filter',
  },
  {
    text: '{"name": "pump-7", "state": "running"}\n{"name": "pump-8", "state": "stopped"}\n{"name": "pump-9", "state": "running"}\n{"name": "pump-10", "state": "unknown"}',
    query: 'state of pump-8',
    ratio: 0.35,
    answer: '"pump-8", "state": "stopped"',
  },
  {
    text: 'The company was founded by Ida Berg. Its first product was a lamp. Sales doubled in 2012. The headquarters moved to Turin in 2015. Today 300 people work there. When did the headquarters move?',
    ratio: 0.4,
    answer: 'moved to Turin in 2015',
  },
  {
    text: 'Hi all, the printer on floor 2 is broken again. Use the one on floor 3. A technician comes on Thursday. Please do not open it yourselves. Thanks, Mia. PS: Cake in the kitchen!\n\nWhen does the technician come?',
    ratio: 0.4,
    answer: 'A technician comes on Thursday.',
  },
];
