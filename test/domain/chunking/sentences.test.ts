import test from 'ava';
import { wholeSentences } from '#domain/chunking/sentences.ts';

test('a text that was cut off ends with its last whole sentence, in any script that has full stops', (t) => {
  for (const [cut, whole] of [
    ['They take the ferry. Then they', 'They take the ferry.'],
    ['他们坐渡轮。然后他', '他们坐渡轮。'],
    ['वे नाव लेते हैं। फिर वे', 'वे नाव लेते हैं।'],
    ['ពួកគេជិះទូក។ បន្ទាប់មក', 'ពួកគេជិះទូក។'],
    ['Նրանք նավով են գնում։ Հետո', 'Նրանք նավով են գնում։'],
    ['وہ کشتی لیتے ہیں۔ پھر وہ', 'وہ کشتی لیتے ہیں۔'],
  ] as const)
    t.is(wholeSentences(cut), whole);
});

test('where no sentence ends, it ends with its last whole line, clause or word, and is never lost', (t) => {
  for (const [cut, whole] of [
    ['\n- Ferry at noon\n- Hotel is booked\n- Jazz in the ev', '- Ferry at noon\n- Hotel is booked'],
    ['They take the ferry at noon, then they walk', 'They take the ferry at noon,'],
    ['พวกเขานั่งเรือข้ามฟาก แล้วเดินไปที่โรง', 'พวกเขานั่งเรือข้ามฟาก'],
    ['They take', 'They'],
    ['พวกเขานั่งเรือ', 'พวกเขานั่งเรือ'],
    [' \n', ''],
  ] as const)
    t.is(wholeSentences(cut), whole);
});
