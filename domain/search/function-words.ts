/** English function words: the stop word list of the Snowball project, with the endings of contractions. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `i me my myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its
  itself they them their theirs themselves what which who whom this that these those am is are was were be been being have
  has had having do does did doing would should could ought cannot a an the and but if or because as until while of at by
  for with about against between into through during before after above below to from up down in out on off over under
  again further then once here there when where why how all any both each few more most other some such no nor not only own
  same so than too very can will s t d ll m re ve`.split(/\s+/),
);

/**
 * Polish ones, from the list of the package `stopword` (MIT), without words that have a meaning of their own, and without those of
 * English (`to`, `do`), which are left out of every query anyway and tell no language.
 */
export const POLISH_WORDS: ReadonlySet<string> = new Set(
  `aby ach albo ale ależ ani aż bardziej bardzo bez bo bowiem byli był była było były być będą będzie ci cię ciebie co cokolwiek
  coś czasami czasem czemu czy czyli dla dlaczego dlatego dokąd dość dużo gdy gdyby gdyż gdzie gdzieś ich ile im inna inne
  inny innych iż ja jak jaki jakie jakiś jako jakoś je jeden jedna jednak jednakże jedno jego jej jemu jest jestem jeszcze jeśli
  jeżeli już ją każdy kiedy kilka kimś kto ktoś która które którego której który których którym którzy ku lecz lub ma mają mam mi
  między mimo mną mnie mogą moi moim moja moje może można mój mu musi na nad nam nami nas nasi nasz nasza nasze naszego naszych
  natomiast nawet nic nich nie nią niego niej niemu nigdy nim nimi niż o obok od około ona oni ono oraz po pod podczas
  pomimo ponad ponieważ powinien powinna powinno poza prawie przecież przed przede przez przy również sam sama się skąd sobie sobą
  są ta tak taka taki takich takie także tam te tego tej temu ten teraz też tobą tobie trzeba tu tutaj twoja twoje twój ty tych
  tylko tym tę u w wam wami was wasz wasza wasze według wiele wielu więc więcej wszyscy wszystkich wszystkie wszystko wtedy wy
  właśnie z za zanim zapewne zawsze zaś ze znów został żaden żadna żadne żadnych że żeby`.split(/\s+/),
);

/** Czech ones, from the same source. */
export const CZECH_WORDS: ReadonlySet<string> = new Set(
  `aby ač ačkoli aj ale anebo ani ano asi až bez beze bude budem budeme budete budeš budou budu byl byla byli bylo byly bys být
  během co což další dokud dva dále ho hodně jak jakmile jako jakož je jeden jedna jedno jeho jehož jej její jejich jelikož jemu
  jen jenom jenž jestli jestliže ještě jež ji jich jimi jinak jiné již jsem jseš jsi jsme jsou jste já jí jím jíž k kam kde kdo kdy
  když ke kolik kromě která kterou které který kterého kterém kterých kteří kvůli ma mají mezi mi mne mnou mně moc mohl mohou moje
  moji možná musí má málo mám máme máte máš mé mí mít mě můj může na nad nade naproti nás náš nám námi naše naši ne nebo nebyl
  nebyla nebyli nebyly nechť nejsou není než nic nich ním nimi něco nějak někde někdo němu o od ode ona oni ono ony pak po pod
  podle pokud potom pouze pro proč prostě proti proto protože před přes přese při přičemž s se si skoro snad spolu sta své svůj
  svých svým svými ta tady tak takhle také takový takže tam tato tebe tebou tedy ten tento teto ti tobě toho tohoto tom tomto tomu
  tomuto toto třeba tu tuto tvoje tvá tvé tvůj ty tyto té této tím tímto tě těm u už v vám vámi vás váš vaše vaši ve vedle vlastně
  vy více však všechen všechno všichni vůbec vždy z za zatímco zač zda zde ze že`.split(/\s+/),
);
