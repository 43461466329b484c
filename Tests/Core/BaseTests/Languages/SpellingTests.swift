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
