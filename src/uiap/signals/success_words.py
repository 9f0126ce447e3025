"""Words of success in messages of a page, in the languages that policy knows. Knows words only.

A message with a word of success and none of failure reports success. A message with neither says nothing by its words.
"""

from __future__ import annotations

import re

from uiap.signals.error_words import alternatives, reports_failure

_SUCCESS_WORDS = {
    "English": r"""
        success\w* | saved | sent | stored | added | created | updated | changed | applied |
        accepted | approved |
        done | completed? | finished | copied | published | posted | subscribed | registered |
        booked | confirmed |
        verified | thanks? | thank you | welcome | available | valid | ok | okay | great |
        looks good | submitted |
        uploaded | deleted | removed | archived | moved | activated | enabled | received |
        scheduled | restored |
        started | joined | queued | reserved | ordered | paid | placed | renamed | imported | exported |
        downloaded | printed | synced | refreshed | reset | cleared | resolved | fixed |
        unsubscribed | cancell?ed |
        see you (?:on|at|in|soon|there|then|again|tomorrow|next|later|around|\w+day) |
        (?:look|looking) forward to |
        connected | signed up | all set | on its way | congratulations |
        will (?:send|notify|contact|e-?mail|let)(?! not) |
        will be (?:sent|ready|notified|delivered|contacted|processed|shipped) | in progress | being prepared |
        signed(?: off)? | (?<!not )(?<!longer )(?<!only )yours
    """,
    "German": r"""
        erfolg\w* | gespeichert | gesendet | hinzugefügt | erstellt | angelegt | aktualisiert |
        geändert | danke |
        vielen dank | fertig | abgeschlossen | kopiert | willkommen | verfügbar | bestätigt | gültig | gebucht |
        gelöscht | entfernt | verschoben | reserviert | bestellt | bezahlt | angemeldet |
        abgemeldet | übernommen |
        hochgeladen | veröffentlicht | eingereicht | beantragt | erledigt | gestartet | abonniert | geleert |
        behoben | bis (?:bald|dann|morgen|gleich|\w+tag) | wir freuen uns
    """,
    "French": r"""
        succès | réussie? | enregistrée?s? | envoyée?s? | ajoutée?s? | créée?s? | mise? à jour | modifiée?s? |
        merci | terminée? | copiée? | bienvenue | disponibles? | confirmée?s? | valide | supprimée?s? |
        déplacée?s? | réservée?s? | publiée?s? | annulée?s? | reçue?s? | validée?s? | payée?s? | abonnée?s? |
        téléchargée?s? | vidée?s? | à (?:bientôt|demain|tout à l[’']heure)
    """,
    "Spanish": r"""
        éxito | guardad[oa]s? | enviad[oa]s? | añadid[oa]s? | cread[oa]s? | actualizad[oa]s? |
        gracias | list[oa] |
        completad[oa] | copiad[oa] | bienvenid[oa] | disponibles? | confirmad[oa] | válid[oa] | eliminad[oa]s? |
        borrad[oa]s? | movid[oa]s? | reservad[oa]s? | publicad[oa]s? | pagad[oa]s? |
        recibid[oa]s? | suscrit[oa] |
        hecho | cancelad[oa]s? | hasta (?:pronto|luego|mañana) | te esperamos | le esperamos
    """,
    "Italian": r"""
        successo | salvat[oaie] | inviat[oaie] | aggiunt[oaie] | creat[oaie] | aggiornat[oaie] |
        grazie | fatto |
        completat[oa] | copiat[oa] | benvenut[oa] | disponibil[ei] | confermat[oa] | valid[oa] |
        eliminat[oaie] |
        spostat[oaie] | prenotat[oaie] | pubblicat[oaie] | pagat[oaie] | ricevut[oaie] | iscritt[oaie] |
        a (?:presto|domani) | ti aspettiamo
    """,
    "Portuguese": r"""
        sucesso | salv[oa]s? | guardad[oa]s? | enviad[oa]s? | adicionad[oa]s? | criad[oa]s? | atualizad[oa]s? |
        obrigad[oa] | pronto | concluíd[oa] | copiad[oa] | bem-vind[oa] | disponíve(?:l|is) | confirmad[oa] |
        válid[oa] | excluíd[oa]s? | removid[oa]s? | movid[oa]s? | reservad[oa]s? | publicad[oa]s? | pag[oa]s? |
        recebid[oa]s? | inscrit[oa] | feito | até (?:logo|breve|amanhã)
    """,
    "Dutch": r"""
        gelukt | succes\w* | opgeslagen | verzonden | verstuurd | toegevoegd | aangemaakt |
        bijgewerkt | bedankt |
        klaar | voltooid | gekopieerd | welkom | beschikbaar | bevestigd | geldig | verwijderd | verplaatst |
        gereserveerd | gepubliceerd | betaald | ontvangen | geplaatst | tot (?:ziens|dan|morgen|snel|\w+dag)
    """,
    "Polish": r"""
        sukces\w* | pomyślnie | zapisano | zapisan\w+ | wysłano | dodano | utworzono |
        zaktualizowano | dziękujemy |
        gotowe | skopiowano | witamy | dostępn\w+ | potwierdzon\w+ | usunięto | przeniesiono | zarezerwowano |
        opublikowano | opłacono | anulowano
    """,
    "Turkish": r"""
        başarı\w* | kaydedildi | gönderildi | eklendi | oluşturuldu | güncellendi | teşekkür\w* | tamam\w* |
        kopyalandı | hoş geldiniz | uygun | onaylandı | geçerli | silindi | taşındı | yayınlandı |
        alındı | ödendi
    """,
    "Russian": r"""
        успешно | сохран[её]н\w* | отправлен\w* | добавлен\w* | создан\w* | обновл[её]н\w* | спасибо | готово |
        скопирован\w* | добро пожаловать | доступ\w+ | подтвержд[её]н\w* | удал[её]н\w* | перемещ[её]н\w* |
        опубликован\w* | оплачен\w* | принят\w* | забронирован\w*
    """,
    "Swedish, Danish, Norwegian": r"""
        sparad\w* | sparat | gemt | lagret | skickad\w* | skickat | sendt | tillagd\w* | tillagt |
        tilføjet | lagt till | lagt til |
        skapad\w* | skapat | oprettet | opprettet | uppdaterad\w* | uppdaterat | opdateret |
        oppdatert | tack | mange tak | tak for | takk |
        klar\w* | färdig\w* | bokad\w* | bokat | booket | bestilt | beställd\w* | betald\w* |
        betalt | borttag\w+ |
        raderad\w* | raderat | slettet | bekräftad\w* | bekræftet | bekreftet | lyckad\w* |
        lyckades | välkommen | velkommen |
        publicerad\w* | publicerat | publiceret | publisert | avbokad\w* | annulleret
    """,
    "Finnish": r"""
        tallennettu | tallennettiin | lähetetty | lähetettiin | lisätty | lisättiin | luotu |
        päivitetty | kiitos | valmis |
        onnistui | onnistuneesti | varattu onnistuneesti | vahvistettu | poistettu | maksettu |
        julkaistu | tilattu | tervetuloa
    """,
    "Czech, Slovak": r"""
        uložen\w* | odeslán\w* | odoslan\w* | přidán\w* | pridan\w* | vytvořen\w* | vytvoren\w* |
        aktualizován\w* | úspěšně |
        úspešne | děkujeme | ďakujeme | hotovo | potvrzen\w* | potvrden\w* | smazán\w* |
        zmazan\w* | zaplacen\w* | přijat\w* |
        objednán\w* | rezervován\w* | dokončen\w* | zrušen\w* | vítejte
    """,
    "Hungarian": r"""
        sikeres\w* | mentve | elmentve | elküldve | hozzáadva | létrehozva | frissítve |
        köszönjük | kész | törölve | lefoglalva |
        megerősítve | elmentettük | fizetve
    """,
    "Romanian": r"""
        succes | salvat\w* | trimis\w* | adăugat\w* | creat\w* | actualizat\w* | mulțumim |
        confirmat\w* | șters\w* |
        plătit\w* | rezervat\w* cu succes | publicat\w* | bun venit
    """,
    "Greek": r"""
        επιτυχ\w+ | αποθηκεύτηκ\w+ | στάλθηκ\w+ | εστάλη | προστέθηκ\w+ | δημιουργήθηκ\w+ |
        ενημερώθηκ\w+ | ευχαριστούμε |
        έτοιμο | ολοκληρώθηκ\w+ | επιβεβαιώθηκ\w+ | διαγράφηκ\w+ | κρατήθηκ\w+ | καταχωρήθηκ\w+
    """,
    "Ukrainian": r"""
        успішно | збережено | надіслано | додано | створено | оновлено | дякуємо | готово |
        підтверджено | видалено | сплачено |
        заброньовано | прийнято | опубліковано | скасовано
    """,
    "Vietnamese": r"""
        thành công | đã (?:lưu|gửi|thêm|tạo|cập nhật|xóa|xoá|đặt|thanh toán|nhận|đăng|hủy|xong) |
        cảm ơn | hoàn tất | hoàn thành
    """,
    "Indonesian, Malay": r"""
        berhasil | berjaya | tersimpan | disimpan | terkirim | dikirim | ditambahkan | dibuat |
        diperbarui | terima kasih |
        selesai | dikonfirmasi | dihapus | dibayar | dipesan
    """,
}
"""Regular expressions for whole words, separated by ` | `."""
_SUCCESS_PARTS = (
    "成功", "保存しました", "送信しました", "追加しました", "作成しました", "更新しました", "完了", "ありがとう",
    "しました", "されました", "できました", "利用可能", "已保存", "已发送", "已添加", "已创建", "已更新", "完成",
    "谢谢", "已复制", "可用", "已删除", "已移动", "已发布", "已提交", "已预订", "已支付", "已取消", "已清空",
    "성공", "저장되었", "저장했", "전송되었", "추가되었", "생성되었", "업데이트되었", "완료",
    "감사합니다", "복사되었", "사용 가능", "되었습니다", "했습니다", "됐습니다",
    "تم حفظ", "تم الحفظ", "تم إرسال", "تم الإرسال", "تمت", "بنجاح", "شكرا", "شكراً",
    "تم إضافة", "تم تحديث", "تم حذف", "تم الحجز",
    "נשמר", "נשלח", "נוסף", "בהצלחה", "תודה", "עודכן", "נמחק", "הושלם", "אושר", "הוזמן",
    "सफल", "सहेजा गया", "भेजा गया",
    "जोड़ा गया", "धन्यवाद", "अपडेट किया", "हटाया गया", "สำเร็จ", "บันทึกแล้ว", "ส่งแล้ว",
    "เพิ่มแล้ว", "ขอบคุณ", "เรียบร้อย", "ยืนยันแล้ว",
    "✓", "✔",
)  # fmt: skip
"""Texts of languages without spaces between words, and check marks, found anywhere."""


_SUCCESS = re.compile(
    rf"(?<!\w)(?:{alternatives(_SUCCESS_WORDS)})(?!\w)|{'|'.join(_SUCCESS_PARTS)}", re.IGNORECASE
)
MAX_TEXT = 400
"""Longer texts are articles or logs, not messages."""


_PEOPLE = r"(?:guest|user|person|customer|member|team|player|buyer|student|reader|editor|colleague|admin\w*|people)s?"
_BY_OTHERS = re.compile(
    rf"^\W*(?:some(?:one|body)|no ?one|nobody|another {_PEOPLE}|other {_PEOPLE}|jemand|niemand|ein anderer|andere|"
    r"quelqu[’']un|personne n|alguien|nadie|qualcuno|nessuno|alguém|ninguém|iemand|ktoś|nikt|birisi|başka biri|"
    r"кто-то|никто|někdo|nikdo|niekto|nikto|valaki|senki|cineva|nimeni|κάποιος|κανείς|хтось|ніхто|ai đó|seseorang|"
    r"他の|ほかの|誰か|别人|有人|他人|다른 사람|누군가)(?!\w*@)",
    re.IGNORECASE,
)


def reports_success(text: str) -> bool:
    """Return whether a message reports success and no failure. A deed of somebody else is no success of ours."""
    return bool(success_words(text)) and not reports_failure(text) and not is_by_others(text)


def is_by_others(text: str) -> bool:
    """Return whether a text reports the deed of somebody else."""
    return _BY_OTHERS.match(text) is not None


def success_words(text: str) -> list[str]:
    """Return the words of success in a message, in their order."""
    return [found[0] for found in _SUCCESS.finditer(text)] if len(text) <= MAX_TEXT else []
