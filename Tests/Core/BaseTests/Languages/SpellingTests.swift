import Base
import Testing

@Test(arguments: [
  ("acuracy", "accuracy"), ("uint", "unit"), ("accuracyy", "accuracy"), ("ids", "id"),
  ("label_hight_mm", "label_height_mm"),
  ("x", nil), ("entirely", nil), ("", nil),
])
func `a similar name is suggested if there is one`(written: String, offered: String?) {
  let names = ["id", "uid", "unit", "accuracy", "surface", "restricted", "name", "label_height_mm"]
  #expect(Spelling.nearest(to: written, among: names) == offered)
}

@Test(arguments: [63, 64, 65])
func `only the first 64 characters of a name count`(length: Int) {
  let names = (63...65).map { String(repeating: "a", count: $0) }
  #expect(Spelling.nearest(to: String(repeating: "a", count: length), among: names) == names[min(length, 64) - 63])
}
