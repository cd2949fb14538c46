import type { InflectedText } from './inflected-text.ts';
import { OTHER_SCRIPTS } from './other-scripts.ts';

/**
 * Texts in twenty-three languages, written for this measurement before the analysis was, in the style of news, manuals and letters.
 * Each word asked for occurs in its text only in another inflection.
 */
export const INFLECTED_PAIRS: Readonly<Record<string, readonly InflectedText[]>> = {
  de: [
    {
      text: 'Die Häuser am Hafen wurden nach dem Sturm geräumt. Viele Bewohner fanden Unterkunft bei Verwandten in der Altstadt.',
      asked: ['Haus', 'Stürme', 'Bewohnern', 'Verwandter'],
    },
    {
      text: 'Der Gemeinderat hat die neuen Verträge mit den Lieferanten gestern einstimmig beschlossen.',
      asked: ['Vertrag', 'Lieferant', 'neue'],
    },
    {
      text: 'Bitte prüfen Sie vor jeder Fahrt die Bremsen und die Reifen des Fahrzeugs.',
      asked: ['Bremse', 'Fahrten', 'Fahrzeuge'],
    },
  ],
  fr: [
    {
      text: 'Les chevaux du haras national sont soignés chaque matin par deux vétérinaires de la région.',
      asked: ['cheval', 'vétérinaire', 'national'],
    },
    {
      text: 'Le conseil municipal a approuvé les nouvelles règles de stationnement dans les rues du centre.',
      asked: ['règle', 'rue', 'municipaux'],
    },
    {
      text: 'Nous cherchons des locaux plus grands pour nos ateliers de peinture et de gravure.',
      asked: ['atelier', 'chercher', 'grande'],
    },
  ],
  es: [
    {
      text: 'Los trenes de cercanías circularán con retraso porque los trabajadores revisan las vías durante la noche.',
      asked: ['tren', 'trabajador', 'retrasos', 'noches'],
    },
    {
      text: 'La biblioteca presta libros y películas a todos los vecinos que presenten su tarjeta.',
      asked: ['libro', 'película', 'vecino', 'bibliotecas'],
    },
    {
      text: 'El médico recomendó tomar las pastillas después de las comidas principales.',
      asked: ['pastilla', 'médicos', 'comida'],
    },
  ],
  it: [
    {
      text: 'I pescatori del villaggio vendono il pesce appena arrivato nei mercati della costa.',
      asked: ['pescatore', 'mercato', 'villaggi'],
    },
    {
      text: 'Le fatture devono essere inviate entro trenta giorni dalla consegna dei prodotti.',
      asked: ['fattura', 'giorno', 'prodotto', 'consegne'],
    },
    {
      text: 'Durante la gita i ragazzi hanno visitato due castelli e una chiesa romanica.',
      asked: ['ragazzo', 'castello', 'chiese'],
    },
  ],
  pt: [
    {
      text: 'As crianças da escola plantaram árvores no jardim junto dos muros antigos.',
      asked: ['criança', 'árvore', 'escolas', 'muro'],
    },
    {
      text: 'Os passageiros devem apresentar os bilhetes e os documentos antes do embarque.',
      asked: ['passageiro', 'bilhete', 'documento'],
    },
    {
      text: 'A empresa contratou engenheiros para reparar as pontes danificadas pela cheia.',
      asked: ['engenheiro', 'empresas', 'danificada'],
    },
  ],
  nl: [
    {
      text: 'De bewoners van de wijk klagen over de vrachtwagens die elke ochtend voor de scholen stoppen.',
      asked: ['bewoner', 'vrachtwagen', 'wijken'],
    },
    {
      text: 'Alle fietsen worden door de monteurs gecontroleerd voordat zij worden verhuurd.',
      asked: ['fiets', 'monteur', 'verhuren'],
    },
    {
      text: 'De gemeente plant nieuwe bomen langs de grachten en vervangt de oude bruggen.',
      asked: ['gracht', 'brug', 'planten'],
    },
  ],
  sv: [
    {
      text: 'Båtarna låg kvar i hamnen eftersom stormen hade skadat flera av bryggorna.',
      asked: ['båt', 'hamn', 'brygga', 'storm'],
    },
    {
      text: 'Kommunen bygger nya lägenheter åt studenterna nära universitetet.',
      asked: ['lägenhet', 'student', 'kommuner'],
    },
    {
      text: 'Läraren samlade in böckerna och gav eleverna nya uppgifter till måndagen.',
      asked: ['elev', 'uppgift', 'lärare', 'måndag'],
    },
  ],
  no: [
    {
      text: 'Fiskerne leverte fangsten på kaia, og bilene kjørte den videre til butikkene i byen.',
      asked: ['fisker', 'bil', 'butikk', 'fangst'],
    },
    {
      text: 'Skolene i kommunen får nye vinduer og bedre varmeanlegg før vinteren.',
      asked: ['skole', 'vindu', 'vinter', 'kommune'],
    },
    {
      text: 'Legene ber pasientene om å møte i god tid før undersøkelsen.',
      asked: ['lege', 'pasient', 'undersøkelser'],
    },
  ],
  da: [
    {
      text: 'Husene ved søen blev solgt, fordi ejerne flyttede til byerne for at finde arbejde.',
      asked: ['hus', 'ejer', 'flytte'],
    },
    { text: 'Børnene fandt gamle mønter i haven bag kirkerne i landsbyen.', asked: ['mønt', 'kirke', 'have'] },
    {
      text: 'Togene mod Aarhus er forsinkede, og passagererne venter på perronen.',
      asked: ['tog', 'passager', 'perron', 'forsinket'],
    },
  ],
  fi: [
    {
      text: 'Kaupungissa avattiin uusia kirjastoja, joissa asukkaat voivat lainata kirjoja ja elokuvia.',
      asked: ['kaupunki', 'kirjasto', 'elokuva'],
    },
    {
      text: 'Veneet palasivat satamaan ennen myrskyä, ja kalastajat sitoivat ne laituriin.',
      asked: ['satama', 'myrsky', 'kalastaja', 'laituri'],
    },
    {
      text: 'Opettajat keskustelivat oppilaiden kanssa uusista tietokoneista.',
      asked: ['opettaja', 'tietokone', 'keskustella'],
    },
  ],
  tr: [
    {
      text: 'Köydeki evler depremden sonra yeniden yapıldı ve çocuklar okullarına döndü.',
      asked: ['ev', 'deprem', 'okul', 'çocuk'],
    },
    {
      text: 'Balıkçılar sabah erken saatlerde limandan ayrıldılar, tekneler akşam geri geldi.',
      asked: ['balıkçı', 'tekne', 'liman', 'saat'],
    },
    { text: 'Müşterilerimiz faturalarını internet sitemizden ödeyebilirler.', asked: ['müşteri', 'fatura'] },
  ],
  hu: [
    {
      text: 'A városokban új iskolákat építenek, és a gyerekek busszal járnak az órákra.',
      asked: ['város', 'iskola', 'gyerek', 'óra'],
    },
    { text: 'A halászok a folyó partján javítják hálóikat és csónakjaikat.', asked: ['halász', 'csónak', 'folyók'] },
    {
      text: 'Az orvosok új gyógyszereket próbálnak ki a betegeken a kórházban.',
      asked: ['orvos', 'gyógyszer', 'beteg', 'kórház'],
    },
  ],
  ro: [
    {
      text: 'Copiii din sat merg la școală cu autobuzele cumpărate de primărie anul trecut.',
      asked: ['copil', 'autobuz', 'școli', 'sate'],
    },
    {
      text: 'Pescarii au vândut peștele în piețele orașului înainte de sărbători.',
      asked: ['pescar', 'oraș', 'sărbătoare'],
    },
    { text: 'Facturile se plătesc până la sfârșitul lunii la ghișeele băncii.', asked: ['factură', 'ghișeu', 'plăti'] },
  ],
  pl: [
    {
      text: 'Mieszkańcy miasta zebrali się na rynku, aby omówić budowę nowych szkół i szpitali.',
      asked: ['mieszkaniec', 'miasto', 'szkoła', 'szpital'],
    },
    {
      text: 'Pociągi na południe odjeżdżają codziennie rano, a bilety sprzedaje się w kasach dworca.',
      asked: ['pociąg', 'bilet', 'kasa', 'dworzec'],
    },
    {
      text: 'Rybacy naprawiali sieci w porcie, zanim burza zniszczyła ich łodzie.',
      asked: ['rybak', 'port', 'łódź', 'sieć'],
    },
    {
      text: 'Faktury należy opłacić w ciągu trzydziestu dni od otrzymania towarów.',
      asked: ['faktura', 'towar', 'otrzymanie'],
    },
  ],
  cs: [
    {
      text: 'Obyvatelé města se sešli na náměstí, aby projednali stavbu nových škol a nemocnic.',
      asked: ['obyvatel', 'město', 'škola', 'nemocnice'],
    },
    {
      text: 'Vlaky na jih odjíždějí každé ráno a jízdenky se prodávají v pokladnách nádraží.',
      asked: ['vlak', 'jízdenka', 'pokladna', 'prodávat'],
    },
    {
      text: 'Rybáři opravovali sítě v přístavu, než bouře poničila jejich čluny.',
      asked: ['rybář', 'síť', 'přístav', 'člun'],
    },
    {
      text: 'Faktury je třeba uhradit do třiceti dnů od převzetí zboží zákazníkem.',
      asked: ['faktura', 'zákazník', 'den'],
    },
  ],
  en: [
    {
      text: 'The bridges were closed because inspectors found cracks in several of the supporting columns.',
      asked: ['bridge', 'inspector', 'crack', 'column'],
    },
    {
      text: 'Farmers are harvesting the last apples before the storms reach the valley.',
      asked: ['farmer', 'harvest', 'apple', 'storm'],
    },
  ],
  ...OTHER_SCRIPTS,
};
