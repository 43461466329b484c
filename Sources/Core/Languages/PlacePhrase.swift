/// Texts about the places of the owner. The texts contain no positions.
package enum PlacePhrase: Phrase {
  case place, knownTo, noPlaces

  package var texts: Texts {
    switch self {
    case .place: Texts(en: "Place", de: "Ort", ja: "場所", vi: "Địa điểm", zhHans: "地点")
    case .knownTo: Texts(en: "Known to", de: "Bekannt bei", ja: "知らせるアプリ", vi: "Cho biết", zhHans: "可获知的应用")
    case .noPlaces:
      Texts(
        en: "There are no places.", de: "Es gibt keine Orte.", ja: "場所はありません。", vi: "Không có địa điểm nào.",
        zhHans: "没有地点。")
    }
  }
}
