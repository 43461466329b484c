/// Texts about regions. The texts contain no positions.
package enum RegionPhrase: Phrase {
  case region, radius, events, state, text, enter, exit, inside, outside, unknown, noRegions

  package var texts: Texts {
    switch self {
    case .region: Texts(en: "Region", de: "Gebiet", ja: "領域", vi: "Vùng", zhHans: "区域")
    case .radius: Texts(en: "Radius", de: "Radius", ja: "半径", vi: "Bán kính", zhHans: "半径")
    case .events: Texts(en: "Notifies", de: "Meldet", ja: "通知", vi: "Báo khi", zhHans: "通知")
    case .state: Texts(en: "Now", de: "Jetzt", ja: "現在", vi: "Hiện tại", zhHans: "目前")
    case .text: Texts(en: "Text", de: "Text", ja: "文面", vi: "Lời báo", zhHans: "文字")
    case .enter: Texts(en: "entry", de: "Betreten", ja: "入る", vi: "vào", zhHans: "进入")
    case .exit: Texts(en: "exit", de: "Verlassen", ja: "出る", vi: "ra", zhHans: "离开")
    case .inside: Texts(en: "inside", de: "darin", ja: "内側", vi: "bên trong", zhHans: "在内")
    case .outside: Texts(en: "outside", de: "draußen", ja: "外側", vi: "bên ngoài", zhHans: "在外")
    case .unknown: Texts(en: "unknown", de: "unbekannt", ja: "不明", vi: "chưa rõ", zhHans: "未知")
    case .noRegions:
      Texts(
        en: "There are no regions.", de: "Es gibt keine Gebiete.", ja: "領域はありません。", vi: "Không có vùng nào.",
        zhHans: "没有区域。")
    }
  }
}
