import LineProtocol
import Testing

@Test(
  arguments: [
    ("1m", 60), ("90m", 5400), ("2h", 7200), ("7d", 604_800), ("30D", 2_592_000), ("720H", 2_592_000), ("0m", nil),
    ("31d", nil), ("721h", nil), ("2", nil), ("h", nil), ("", nil), ("-2h", nil), ("1.5h", nil), ("2 h", nil),
    ("60s", nil), ("00090m", 5400), ("000090m", nil),
    ("99999999999d", nil), ("２h", nil), ("2w", nil),
  ] as [(String, Int?)])
func `a typed duration is a whole number of minutes, hours or days, from 1 minute to 30 days`(
  word: String, seconds: Int?
) {
  #expect(TypedDuration.parse(word) == seconds.map { .seconds($0) })
}
