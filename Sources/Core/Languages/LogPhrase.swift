/// Texts of the disclosure log.
package enum LogPhrase: Phrase {
  case time, entry, what, once, byRight, fromNowOn, simulated, late, acknowledged, sent
  /// The app received a notification about a region border, but no fix.
  case border
  case borderTold, expired, erased, postponed, lost, ended, endedAfterOne, stopped, outOfUse, revoked, locked, indicator
  case shutdown, endLost, noEntries
  /// A user answered a prompt.
  case answer, answerWithPurpose, atButton, atConsole, onPage, byUser

  package var texts: Texts {
    switch self {
    case .time: Texts(en: "Time (UTC)", de: "Zeit (UTC)", ja: "時刻 (UTC)", vi: "Giờ (UTC)", zhHans: "时间 (UTC)")
    case .entry: Texts(en: "Entry", de: "Eintrag", ja: "番号", vi: "Mục", zhHans: "条目")
    case .what: Texts(en: "What", de: "Was", ja: "内容", vi: "Nội dung", zhHans: "内容")
    case .once:
      Texts(
        en: "one {value} fix by a press", de: "ein Fix durch Drücken, {value}", ja: "ボタンで1回（{value}）",
        vi: "một lần bằng nút, {value}", zhHans: "按钮一次（{value}）")
    case .byRight:
      Texts(
        en: "a {value} fix: {text}", de: "ein Fix, {value}: {text}", ja: "測位（{value}）：{text}",
        vi: "định vị {value}: {text}", zhHans: "定位（{value}）：{text}")
    case .fromNowOn:
      Texts(
        en: "{value} fixes from now on: {text}", de: "ab hier Fixe, {value}: {text}", ja: "連続測位を開始（{value}）：{text}",
        vi: "bắt đầu định vị liên tục, {value}: {text}", zhHans: "开始连续定位（{value}）：{text}")
    case .simulated: Texts(en: "simulated", de: "simuliert", ja: "模擬", vi: "mô phỏng", zhHans: "模拟")
    case .late: Texts(en: "late", de: "verspätet", ja: "遅延", vi: "trễ", zhHans: "延迟")
    case .acknowledged:
      Texts(
        en: "#{number} arrived", de: "#{number} angekommen", ja: "#{number} 到着", vi: "#{number} đã nhận",
        zhHans: "#{number} 已送达")
    case .sent:
      Texts(
        en: "#{number} sent", de: "#{number} gesendet", ja: "#{number} 送信", vi: "#{number} đã gửi",
        zhHans: "#{number} 已发送")
    case .border:
      Texts(
        en: "notified of a region border: {text}", de: "Gebietsgrenze gemeldet: {text}", ja: "領域の境界の通知：{text}",
        vi: "báo qua ranh giới vùng: {text}", zhHans: "区域边界通知：{text}")
    case .borderTold:
      Texts(
        en: "#{number} was notified of a region border, without a position",
        de: "#{number} Gebietsgrenze gemeldet, ohne Ort", ja: "#{number} 領域の境界を通知（位置なし）",
        vi: "#{number} đã báo qua ranh giới vùng, không có vị trí", zhHans: "#{number} 已通知区域边界，不含位置")
    case .expired:
      Texts(
        en: "#{number} expired", de: "#{number} abgelaufen", ja: "#{number} 期限切れ", vi: "#{number} hết hạn",
        zhHans: "#{number} 已过期")
    case .erased:
      Texts(
        en: "#{number} erased", de: "#{number} gelöscht", ja: "#{number} 消去", vi: "#{number} đã xóa",
        zhHans: "#{number} 已删除")
    case .postponed:
      Texts(
        en: "#{number} waits for the broker, and will be sent late",
        de: "#{number} wartet auf den Broker und folgt verspätet", ja: "#{number} ブローカー待ち、遅れて送信",
        vi: "#{number} chờ máy chủ MQTT, sẽ gửi trễ", zhHans: "#{number} 等待代理，稍后发送")
    case .lost:
      Texts(
        en: "#{number}: the outcome was lost", de: "#{number}: Ausgang unbekannt", ja: "#{number} 結果不明",
        vi: "#{number}: không rõ kết quả", zhHans: "#{number} 结果未知")
    case .ended:
      Texts(
        en: "#{number} ended after {count} fixes: {value}", de: "#{number} endete nach {count} Fixen: {value}",
        ja: "#{number} 終了、{count} 回：{value}", vi: "#{number} kết thúc sau {count} lần: {value}",
        zhHans: "#{number} 结束，共 {count} 次：{value}")
    case .endedAfterOne:
      Texts(
        en: "#{number} ended after 1 fix: {value}", de: "#{number} endete nach 1 Fix: {value}",
        ja: "#{number} 終了、1 回：{value}", vi: "#{number} kết thúc sau 1 lần: {value}",
        zhHans: "#{number} 结束，共 1 次：{value}")
    case .stopped:
      Texts(en: "stopped by the app", de: "von der App beendet", ja: "アプリが停止", vi: "ứng dụng dừng", zhHans: "由应用停止")
    case .outOfUse:
      Texts(en: "no longer in use", de: "nicht mehr in Gebrauch", ja: "使用終了", vi: "không còn dùng", zhHans: "不再使用")
    case .revoked: Texts(en: "revoked", de: "entzogen", ja: "取り消し", vi: "đã thu hồi", zhHans: "已收回")
    case .locked: Texts(en: "locked", de: "gesperrt", ja: "ロック", vi: "đã khóa", zhHans: "已锁定")
    case .indicator:
      Texts(
        en: "the light failed", de: "Leuchte ohne Funktion", ja: "表示灯の異常", vi: "đèn không hoạt động", zhHans: "指示灯无法显示")
    case .shutdown:
      Texts(en: "the gateway stopped", de: "Gateway angehalten", ja: "ゲートウェイ停止", vi: "cổng đã dừng", zhHans: "网关停止")
    case .endLost:
      Texts(en: "end unknown", de: "Ende unbekannt", ja: "終了時刻不明", vi: "không rõ lúc kết thúc", zhHans: "结束未知")
    case .answer:
      Texts(
        en: "answer: {value} ({text})", de: "Antwort: {value} ({text})", ja: "回答：{value}（{text}）",
        vi: "trả lời: {value} ({text})", zhHans: "回答：{value}（{text}）")
    case .answerWithPurpose:
      Texts(
        en: "{value}, to “{text}”", de: "{value}, auf „{text}“", ja: "{value}、「{text}」に対して",
        vi: "{value}, cho “{text}”",
        zhHans: "{value}，针对“{text}”")
    case .atButton: Texts(en: "button", de: "Knopf", ja: "ボタン", vi: "nút", zhHans: "按钮")
    case .atConsole: Texts(en: "console", de: "Konsole", ja: "コンソール", vi: "bảng điều khiển", zhHans: "控制台")
    case .onPage: Texts(en: "page", de: "Seite", ja: "ページ", vi: "trang", zhHans: "页面")
    case .byUser:
      Texts(
        en: "user {number}", de: "Benutzer {number}", ja: "ユーザー {number}", vi: "người dùng {number}",
        zhHans: "用户 {number}")
    case .noEntries:
      Texts(
        en: "No entries.", de: "Keine Einträge.", ja: "記録はありません。", vi: "Không có mục nào.", zhHans: "没有条目。")
    }
  }
}
